"""A trace as data for programs and as a table for people."""

from __future__ import annotations

from pytest_ppteval.trace.jsontext import Record, dumps, one_line
from pytest_ppteval.trace.model import Json, Message, Step, Trace, Usage

VERSION = 1
_CELL = 40
_TEXT = 400
_NOTES = 20


def as_data(trace: Trace) -> Record:
    """The whole trace in JSON's types, to be written and read again (format "ppteval"). Unknown values are left out."""
    data: Record = {
        "ppteval_trace": VERSION,
        "format": trace.format,
        "run": trace.run,
        "status": trace.status,
        "error": trace.error,
        "duration_s": trace.duration_s,
        "cost_usd": trace.cost_usd,
        "usage": {model: _usage(usage) for model, usage in trace.usage.items()},
        "final_response": trace.final_response,
        "steps": [_step(step) for step in trace.steps],
        "messages": [_message(message) for message in trace.messages],
        "diagnostics": [
            _known({"code": note.code, "text": note.text, "line": note.line, "count": note.count})
            for note in trace.diagnostics
        ],
        "unknown": list(trace.unknown),
        "skills": list(trace.skills) or None,
    }
    return _known(data)


def _known(fields: Record) -> Record:
    return {name: value for name, value in fields.items() if value is not None}


def _usage(usage: Usage) -> Record:
    return _known(
        {
            "input_total": usage.input_total,
            "cache_read": usage.cache_read,
            "cache_write": usage.cache_write,
            "output": usage.output,
            "reasoning": usage.reasoning,
        }
    )


def _step(step: Step) -> Record:
    fields: Record = {
        "id": step.id,
        "tool": step.tool,
        "args": step.args,
        # Where the arguments are known, their text adds nothing but its white space.
        "args_raw": step.args_raw if step.args is None else None,
        "result": step.result,
        "failed": step.failed,
        "error": step.error,
        "started": step.started,
        "ended": step.ended,
        "group": step.group,
        "parent": step.parent,
    }
    return _known(fields)


def _message(message: Message) -> Record:
    return _known({"role": message.role, "text": message.text, "id": message.id, "parent": message.parent})


def as_table(trace: Trace) -> str:
    """Status, tokens and cost, a line a step, the final response, and what the reader put up with."""
    lines = [_headline(trace)]
    lines += [f"  {one_line(model)}: {_tokens(usage)}" for model, usage in trace.usage.items()]
    if trace.error is not None:
        lines.append(f"  error: {one_line(trace.error, _TEXT)}")
    lines += (
        ["", *_steps(trace.steps)]
        if trace.steps
        else ["", "no tool call was read" if _more_calls(trace) else "no tool calls"]
    )
    if trace.final_response is None:
        lines += ["", "no final response"]
    else:
        lines += ["", "final response:"]
        lines += [f"  {one_line(line)}" for line in _shortened(trace.final_response).splitlines()]
    if trace.diagnostics:
        lines += ["", "noticed:"]
        lines += [f"  {one_line(str(note), _TEXT)}" for note in trace.diagnostics[:_NOTES]]
        if len(trace.diagnostics) > _NOTES:
            lines.append(f"  ... {len(trace.diagnostics) - _NOTES} more")
    return "\n".join(lines)


def _headline(trace: Trace) -> str:
    parts = [trace.format, *([one_line(trace.run)] if trace.run else []), trace.status]
    least = "at least " if _more_calls(trace) else ""
    parts.append(f"{least}{len(trace.steps)} tool call{'' if len(trace.steps) == 1 else 's'}")
    total = trace.total_usage
    parts.append("tokens unknown" if total is None or total.tokens is None else f"{total.tokens} tokens")
    parts.append("cost unknown" if trace.cost_usd is None else f"${trace.cost_usd:.4f}")
    parts.append("time unknown" if trace.duration_s is None else f"{trace.duration_s:.1f} s")
    return " | ".join(parts)


def _more_calls(trace: Trace) -> bool:
    """Whether there may be more calls than were read; a truncated run says so by its status."""
    return trace.status != "truncated" and trace.calls_unknown is not None


def _tokens(usage: Usage) -> str:
    def number(value: int | None) -> str:
        return "?" if value is None else str(value)

    return (
        f"{number(usage.input_total)} in "
        f"(cache: {number(usage.cache_read)} read, {number(usage.cache_write)} written), "
        f"{number(usage.output)} out (reasoning: {number(usage.reasoning)})"
    )


def _shortened(text: str) -> str:
    return text if len(text) <= _TEXT else f"{text[:_TEXT]}\n... {len(text) - _TEXT} more characters"


def _steps(steps: tuple[Step, ...]) -> list[str]:
    """Columns as wide as they need to be. Batches are bracketed: calls with one letter were made at once."""
    letters: dict[str, str] = {}
    for step in steps:
        if step.group is not None:
            letters.setdefault(step.group, chr(ord("a") + len(letters) % 26))
    rows = [("#", "", "tool", "arguments", "result", "s", "under")]
    for number, step in enumerate(steps, 1):
        seconds = "" if step.started is None or step.ended is None else f"{step.ended - step.started:.1f}"
        rows.append(
            (
                str(number),
                letters.get(step.group or "", ""),
                one_line(step.tool or "(unknown)", _CELL),
                one_line(_arguments(step), _CELL),
                one_line(_result(step), _CELL),
                seconds,
                one_line(step.parent or "", 16),
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    used = [column for column in range(len(widths)) if any(row[column] for row in rows[1:])]
    return ["  ".join(row[column].ljust(widths[column]) for column in used).rstrip() for row in rows]


def _arguments(step: Step) -> str:
    if step.args is not None:
        return dumps(step.args)
    return f"not whole: {step.args_raw}" if step.args_raw else "unknown"


def _result(step: Step) -> str:
    if step.failed:
        return f"FAILED: {step.error or ''}"
    if step.result is None:
        return "none"
    return step.result


def all_data(name: str, traces: list[Trace]) -> Json:
    """What `ppteval trace --json` prints: the file's name and its runs."""
    return {"file": name, "runs": [as_data(trace) for trace in traces]}
