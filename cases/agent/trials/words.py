"""What the agent writes: answers and files, in English and Chinese, from what the tools gave it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trials.world import HANDBOOK, LIMITS, RESOURCES, RUNS

if TYPE_CHECKING:
    from trials.world import Verdict

NAMES = {
    "en": {"cpu": "CPU", "memory": "memory", "network": "network", "disk": "disk"},
    "zh": {"cpu": "CPU", "memory": "内存", "network": "网络", "disk": "磁盘"},
}
REASONS_ZH = {
    "too short": "稳定时间太短",
    "errors": "错误过多",
    "load not steady": "负载不平稳",
    "load generator at its limit": "压测机到达上限",
    "load not reached": "未达到目标负载",
}


@dataclass(frozen=True)
class Found:
    """What an analysis found. means: of the series that were fetched and have points."""

    run: str
    verdict: Verdict
    means: dict[str, float]
    language: str = "en"


def number(value: float) -> str:
    return f"{value:,.10g}"


def verdict_json(found: Found) -> str:
    verdict = found.verdict
    return (
        json.dumps(
            {
                "run": found.run,
                "valid": verdict.valid,
                "reasons": [verdict.reason] if verdict.reason else [],
                "bottleneck": verdict.bottleneck,
                "also": list(verdict.also),
                "missing": list(verdict.missing),
                "means": found.means,
            },
            ensure_ascii=False,
            indent=2,
        )
        + "\n"
    )


def first_lines(found: Found) -> list[str]:
    """The two lines with which each answer begins."""
    verdict, names = found.verdict, NAMES[found.language]
    judged = verdict.valid and not verdict.missing
    if found.language == "zh":
        state = "有效" if verdict.valid else f"无效（{REASONS_ZH[verdict.reason]}）"
        return [
            f"测试：{state}",
            f"瓶颈：{names[verdict.bottleneck] if verdict.bottleneck else '无' if judged else '未判定'}",
        ]
    state = "valid" if verdict.valid else f"not valid ({verdict.reason})"
    named = names[verdict.bottleneck] if verdict.bottleneck else "none" if judged else "not judged"
    return [f"Test: {state}", f"Bottleneck: {named}"]


def details(found: Found) -> list[str]:
    """What the verdict rests on, a line each."""
    verdict, means, test = found.verdict, found.means, RUNS[found.run]
    zh = found.language == "zh"
    names = NAMES[found.language]
    lines = []
    if verdict.reason == "too short":
        lines.append(
            f"稳定期只有 {test.steady} 秒，至少要 300 秒。"
            if zh
            else f"The steady window has {test.steady} s, 300 s are needed."
        )
    else:
        load, target, errors = number(means["load"]), number(test.target), number(means["errors"])
        generator = number(means["generator_cpu"])
        lines.append(
            f"负载 {load} / {target} 请求每秒，错误 {errors}%。"
            if zh
            else f"Load {load} of {target} requests/s, {errors} % errors, generator CPU {generator} %."
        )
    if verdict.reason == "load not steady":
        low, high = min(test.series["load"]), max(test.series["load"])
        lines.append(
            f"The load swings between {number(low)} and {number(high)} requests/s, more than 10 % of its mean."
        )
    for name in RESOURCES:
        if name in verdict.missing:
            lines.append(f"{names[name]}: no data, so which resource was the bottleneck can't be said.")
        elif name in means and (name == verdict.bottleneck or name in verdict.also):
            also = "" if name == verdict.bottleneck else ", also at its limit, but later"
            lines.append(
                f"{names[name]}平均 {number(means[name])}%，上限 {LIMITS[name]:g}%。"
                if zh
                else f"{names[name]}: mean {number(means[name])} %, limit {LIMITS[name]:g} %{also}."
            )
    if verdict.valid and verdict.bottleneck is None and not verdict.missing:
        shown = ", ".join(f"{names[name]} {number(means[name])} %" for name in RESOURCES)
        lines.append(f"No resource is at its limit: {shown}.")
    if verdict.bottleneck:
        tag, text = HANDBOOK[verdict.bottleneck]
        lines.append(f"下一步（手册 {tag}）：{ADVICE_ZH[verdict.bottleneck]}" if zh else f"Next ({tag}): {text}")
    return lines


ADVICE_ZH = {
    "cpu": "先做性能剖析，再考虑加核；座位图可缓存两秒。",
    "network": "先对 8 kB 以上的响应开启压缩，再把主机分到两条链路。",
}


def answer(found: Found, *more: str) -> str:
    return "\n".join([*first_lines(found), "", *details(found), *more])


def report(found: Found) -> str:
    """report.md."""
    zh, names, verdict = found.language == "zh", NAMES[found.language], found.verdict
    heads = (
        ("压测", "结论", "有效性", "资源", "建议")
        if zh
        else ("Load test", "Verdict", "Validity", "Resources", "Next step")
    )
    said = details(found)
    advice = said[-1] if verdict.bottleneck else ("无。" if zh else "None.")
    rows = [
        f"- {names[name]} {number(found.means[name])}%，上限 {LIMITS[name]:g}%"
        if zh
        else f"- {names[name]} {number(found.means[name])} %, limit {LIMITS[name]:g} %"
        for name in RESOURCES
        if name in found.means
    ]
    rows += [f"- {names[name]}: no data" for name in verdict.missing]
    none = "- 未读取" if zh else "- not looked at: the test is not valid"
    return "\n".join(
        [
            f"# {heads[0]} {found.run}" if not zh else f"# {heads[0]} {found.run} 报告",
            "",
            f"## {heads[1]}",
            "",
            *(f"- {line}" for line in first_lines(found)),
            "",
            f"## {heads[2]}",
            "",
            said[0],
            "",
            f"## {heads[3]}",
            "",
            *(rows or [none]),
            "",
            f"## {heads[4]}",
            "",
            advice,
            "",
        ]
    )
