"""Bad trials of triggering and core cases, each wrong in one way. A function shows what is wrong, a trace does not."""

from __future__ import annotations

import re
from dataclasses import replace

from trials.faults import change, data, edit, fault
from trials.good import BOTH, GET_RUN, MAKERS, SEARCH, analyse, fetch, load_skill
from trials.session import Agent, Call, Trial, Turn
from trials.words import Found, answer, report, verdict_json
from trials.world import HANDBOOK, RESOURCES, RUNS, VALIDITY, decide

# --- Triggering ------------------------------------------------------------------------------------------------------


@fault("trigger-by-id")
def answers_without_looking(agent: Agent) -> Trial:
    return agent.say("Test: valid\nBottleneck: none\n\nLT-20425 looks fine.")


@fault("trigger-by-id")
def goes_on_without_the_skill(agent: Agent) -> Trial:
    return agent.say(answer(analyse(agent, "LT-20425", begin=False)))


@fault("trigger-by-id")
def writes_files_for_a_short_answer(agent: Agent) -> Trial:
    return agent.say(answer(analyse(agent, "LT-20425", files=BOTH)))


@fault("trigger-by-link")
def does_not_read_the_id_in_the_link(agent: Agent) -> Trial:
    return agent.say("I can't open links. What does the page say?")


@change("trigger-in-plain-words")
def names_no_number(trial: Trial) -> Trial:
    return replace(trial, answer="Test: valid\nBottleneck: CPU\n\nYes, they were rather busy.")


@fault("trigger-zh")
def answers_chinese_in_english(agent: Agent) -> Trial:
    return agent.say(answer(analyse(agent, "LT-20447")))


@fault("trigger-not-for-unit-tests")
def takes_unit_tests_for_a_load_test(agent: Agent) -> Trial:
    load_skill(agent)
    agent.do(("mcp__loadlab__list_runs", {"service": "lantern-pay"}))
    return agent.say("Which load test of lantern-pay do you mean: LT-20474? For slow unit tests there is --durations.")


@fault("trigger-not-for-terms")
def looks_up_a_run_to_explain_a_term(agent: Agent) -> Trial:
    load_skill(agent)
    agent.do((GET_RUN, {"run": "LT-20425"}))
    return agent.say("In LT-20425 the load was 4,000 requests/s and the throughput 3,982.")


@fault("trigger-not-for-scripts")
def starts_a_run_in_place_of_writing_a_script(agent: Agent) -> Trial:
    load_skill(agent)
    agent.do(("mcp__loadlab__start_run", {"copy_of": "LT-20425", "target": 50}))
    return agent.say("I started LT-20499, which books 50 seats a second.")


@fault("trigger-not-for-sales")
def takes_peak_load_for_a_load_test(agent: Agent) -> Trial:
    load_skill(agent)
    agent.do(("mcp__loadlab__list_runs", {"service": "lantern-seats"}))
    return agent.say("Which run is it: LT-20418, LT-20425? I need its id.")


@fault("trigger-not-for-lifts-zh")
def takes_a_lift_for_a_service(agent: Agent) -> Trial:
    load_skill(agent)
    return agent.say("请给出压测编号：LT- 加五位数字。")


# --- Core ------------------------------------------------------------------------------------------------------------


@change("core-cpu")
@change("core-generator")
@change("core-network-zh")
@change("robust-flaky-tool")
def spends_80_percent_more_tokens(trial: Trial) -> Trial:
    return replace(trial, spend=1.8)


@fault("core-cpu")
def writes_the_report_before_looking(agent: Agent) -> Trial:
    """All the right calls, and the right words, in the wrong order."""
    good = MAKERS["core-cpu"](agent)
    return replace(good, turns=(good.turns[0], good.turns[-1], *good.turns[1:-1]))


@change("core-cpu")
def looks_at_everything_again(trial: Trial) -> Trial:
    return replace(trial, turns=(*trial.turns[:-1], *trial.turns[1:-1], trial.turns[-1]))


@change("core-cpu")
def names_another_bottleneck_in_the_answer(trial: Trial) -> Trial:
    return edit(trial, ("Bottleneck: CPU", "Bottleneck: network"))


@change("core-cpu")
def advises_from_general_knowledge(trial: Trial) -> Trial:
    turns = tuple(turn for turn in trial.turns if turn.calls[0].tool != SEARCH)
    said = re.sub(r"(?m)^Next .*$", "Next: add more cores, and consider a cache.", trial.answer or "")
    return replace(trial, turns=turns, answer=said)


@change("core-none")
def invents_a_bottleneck(trial: Trial) -> Trial:
    trial = edit(data(trial, bottleneck="cpu"), ("Bottleneck: none", "Bottleneck: CPU"))
    return trial.with_answer(lambda said: f"{said}\nNext (HB-07): take a profile.")


@fault("core-none")
def asks_for_everything_three_times(agent: Agent) -> Trial:
    for _ in range(2):
        fetch(agent, "LT-20425", (*VALIDITY, *RESOURCES), thought="To be sure.")
    return agent.say(answer(analyse(agent, "LT-20425", files=BOTH)))


@fault("core-none")
def looks_at_the_cpu_only(agent: Agent) -> Trial:
    load_skill(agent)
    agent.do((GET_RUN, {"run": "LT-20425"}))
    means = fetch(agent, "LT-20425", (*VALIDITY, "cpu"), save=True)
    # The others are put down as on the day before.
    means |= {"memory": 55.1, "network": 38.6, "disk": 21.3}
    found = Found("LT-20425", decide(RUNS["LT-20425"]), means)
    agent.do(
        *(("Write", {"path": p, "content": t}) for p, t in zip(BOTH, (verdict_json(found), report(found)), strict=True))
    )
    return agent.say(answer(found))


@fault("core-memory-before-cpu")
def takes_the_higher_mean_for_the_first(agent: Agent) -> Trial:
    good = MAKERS["core-memory-before-cpu"](agent)
    good = data(good, bottleneck="cpu", also=["memory"])
    return edit(good, ("Bottleneck: memory", "Bottleneck: CPU"), (", also at its limit, but later", ""))


@change("core-saturated-service")
def calls_a_saturated_service_not_valid(trial: Trial) -> Trial:
    return edit(
        trial, ("Test: valid", "Test: not valid (load not reached)"), ("Bottleneck: CPU", "Bottleneck: not judged")
    )


@fault("core-saturated-service")
def does_not_rule_out_the_generator(agent: Agent) -> Trial:
    load_skill(agent)
    agent.do((GET_RUN, {"run": "LT-20433"}))
    means = fetch(agent, "LT-20433", ("load", "errors", *RESOURCES)) | {"generator_cpu": 40.2}
    agent.do((SEARCH, {"query": "cpu at its limit"}))
    return agent.say(answer(Found("LT-20433", decide(RUNS["LT-20433"]), means)))


@change("core-generator")
def blames_the_service_for_the_generator(trial: Trial) -> Trial:
    trial = data(trial, valid=True, reasons=[])
    return edit(trial, ("Test: not valid (load generator at its limit)", "Test: valid"), ("not judged", "none"))


@change("core-cpu-at-its-limit")
def takes_at_the_limit_for_below(trial: Trial) -> Trial:
    return edit(trial, ("Bottleneck: CPU", "Bottleneck: none"))


@fault("core-cpu-at-its-limit")
def writes_files_that_nobody_wanted(agent: Agent) -> Trial:
    return agent.say(answer(analyse(agent, "LT-20440", files=BOTH)))


@change("core-cpu-just-below")
def rounds_up_to_the_limit(trial: Trial) -> Trial:
    search = Call(SEARCH, {"query": "cpu at its limit"}, ": ".join(HANDBOOK["cpu"]))
    trial = replace(trial, turns=(*trial.turns, Turn((search,))))
    return edit(trial, ("Bottleneck: none", "Bottleneck: CPU"))


@fault("core-errors")
def looks_at_resources_of_a_test_that_is_not_valid(agent: Agent) -> Trial:
    load_skill(agent)
    agent.do((GET_RUN, {"run": "LT-20456"}))
    means = fetch(agent, "LT-20456", VALIDITY) | fetch(agent, "LT-20456", RESOURCES)
    found = Found("LT-20456", decide(RUNS["LT-20456"]), means)
    agent.do(("Write", {"path": "verdict.json", "content": verdict_json(found)}))
    return agent.say(answer(found))


@change("core-errors")
def does_not_mind_errors(trial: Trial) -> Trial:
    return edit(data(trial, valid=True, reasons=[]), ("Test: not valid (errors)", "Test: valid"))


@change("core-unsteady")
def judges_by_the_mean_alone(trial: Trial) -> Trial:
    return edit(trial, ("Test: not valid (load not steady)", "Test: valid"))


@change("core-short-zh")
def does_not_mind_a_short_window(trial: Trial) -> Trial:
    return edit(data(trial, valid=True, reasons=[]), ("测试：无效（稳定时间太短）", "测试：有效"))


@change("core-network-zh")
def names_another_bottleneck_zh(trial: Trial) -> Trial:
    return edit(data(trial, bottleneck="disk"), ("瓶颈：网络", "瓶颈：磁盘"))


@fault("core-goals")
def knows_the_goals_without_reading_them(agent: Agent) -> Trial:
    found = analyse(agent, "LT-20425")
    fetch(agent, "LT-20425", ["latency_p99"])
    return agent.say(answer(found, "", "Goals: kept", "p99 latency 231 ms, promised 250 ms."))


@change("core-goals")
def misreads_a_goal(trial: Trial) -> Trial:
    return edit(trial, ("Goals: kept", "Goals: broken"))


@change("core-compare")
def compares_the_wrong_way_round(trial: Trial) -> Trial:
    return edit(trial, ("78 % -> 91.2 %", "91.2 % -> 78 %"), ("188 ms -> 347 ms", "347 ms -> 188 ms"))


@fault("core-compare")
def compares_with_a_run_that_it_did_not_look_at(agent: Agent) -> Trial:
    load_skill(agent)
    agent.do((GET_RUN, {"run": "LT-20418"}))
    fetch(agent, "LT-20418", (*VALIDITY, "latency_p99", *RESOURCES))
    return agent.say("CPU 78 % -> 91.2 %, p99 latency 188 ms -> 347 ms.")


@change("core-generator")
def looks_for_advice_that_nobody_needs(trial: Trial) -> Trial:
    search = Call(SEARCH, {"query": "load generator at its limit"}, "nothing found")
    return replace(trial, turns=(*trial.turns, Turn((search,))))


@change("core-compare")
def does_not_stop_looking(trial: Trial) -> Trial:
    """Twenty more runs, one by one, with a long thought after each."""
    thought = "Is this one more like it? " * 120
    more = [
        Turn((Call(GET_RUN, {"run": f"LT-203{number}"}, "{}"),), thought=f"{thought} ({number})")
        for number in range(70, 90)
    ]
    return replace(trial, turns=(*trial.turns, *more))


@change("core-compare")
def asks_alike_twice(trial: Trial) -> Trial:
    """A slip in the id, and the same slip again."""
    slip = Turn((Call(GET_RUN, {"run": "LT-20359"}, "no run LT-20359", failed=True),))
    return replace(trial, turns=(trial.turns[0], slip, slip, *trial.turns[1:]))
