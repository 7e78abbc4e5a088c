"""Whether an agent used a skill: a tool for skills was given its name, or its SKILL.md was read."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from pytest_ppteval.case.skill import SKILL_FILE, declared_name
from pytest_ppteval.evidence.run import Lacking
from pytest_ppteval.grade.rules.calls import called, json_texts, place_in, short
from pytest_ppteval.grade.rules.finding import UNKNOWN_SKILL, Finding, seen, some
from pytest_ppteval.trace.families import family_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_ppteval.case.model import Case
    from pytest_ppteval.evidence.evidence import Evidence
    from pytest_ppteval.grade.rules.finding import Rule
    from pytest_ppteval.trace.model import Step


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NAMED = ("skill", "skill_name", "name", "command")
_RAW_NAME = re.compile(rf'"(?:{"|".join(_NAMED)})"\s*:\s*"([^"\\]*)"')
_FILE = re.compile(r"(?:([^/\\\s\"'=]+)[/\\]+)?\bSKILL\.md\b")
_FOLDERS = ("cwd", "workdir", "working_directory", "working_dir", "dir")

# What a tool does that is in no agent's table (trace/families.py), by the words of its name: the first of these kinds
# that one of them is of.
_SHELL = _words("bash sh zsh shell exec terminal powershell pwsh cmd run command execute")
_READ = _words("read view cat")
_OTHER = _words(
    "write create edit list ls glob grep search find delete remove rm move mv copy cp insert replace patch "
    "apply save put upload rename mkdir touch stat info exists update append tree directory dir task agent "
    "todo message plan think ask question"
)
_ALSO_READ = _words("open get load fetch show retrieve download content contents head tail")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")

# What a command of a shell does.
_SPLIT = re.compile(r"&&|\|\||[;|\n]|\$\(|`")
_WRITTEN = re.compile(r">\s*[\"']?[^\s>\"']*SKILL\.md")
_READERS = _words("cat tac head tail less more bat batcat nl awk gawk sed fold type gc get-content strings view")
_NO_READERS = _words(
    "ls dir tree find fd locate rm cp mv ln touch mkdir stat wc file test [ chmod chown tee echo printf du "
    "realpath basename dirname which md5sum sha256sum del copy move cd pushd mktemp zip tar unzip"
)
_LANGUAGES = re.compile(r"python[\d.]*|node|ruby|perl")
_BEFORE = re.compile(
    r"(?:\w+=\S*\s+|(?:sudo|do|then|time|env|exec|command)\s+|[\s(\[{\"'\\]+|\"?(?:cmd|command)\"?\s*:\s*)*"
)
_SHELLS = re.compile(r"(?:/\S*/)?(?:ba|z|da)?sh\s+-l?c\s+[\"']?")
_READS_ALL = re.compile(r"(?:-exec|xargs|\bdo)\s+(?:\S+\s+)*?(?:cat|head|less|more|tail)\b")


def skill_used(rule: Rule, evidence: Evidence) -> Finding | Lacking:
    """Whether the skill was loaded: by a tool for skills that was given its name, or by reading its SKILL.md.

    To list, find or write that file is no use. A call that failed loaded nothing, so the rule needs one that didn't;
    the not_ form allows not even that. A call of which the trace doesn't tell enough leaves it open.
    """
    trace = evidence.run.trace
    if isinstance(trace, Lacking):
        return trace
    skill = str(rule.value)
    names = names_of(skill, evidence.case)
    loads = [(step, _loads(step, names, trace.format)) for step in trace.steps]
    uses = [step for step, it_does in loads if it_does]
    doubtful = next((step for step, it_does in loads if it_does is None), None)
    worked = [step for step in uses if not step.failed]
    if worked or (uses and rule.negated):
        step = (worked or uses)[0]
        return seen(True, f"skill {skill}: call {place_in(step, trace)}: {short(step)}", rule, trace)
    if doubtful is not None:
        what = f"call {place_in(doubtful, trace)}: {short(doubtful)}"
        return Finding(None, f"the trace doesn't tell whether this loads skill {skill}: {what}")
    if uses:
        return seen(False, f"skill {skill} failed to load: {uses[-1].error or short(uses[-1])}", rule, trace)
    others = list(dict.fromkeys(name for step in trace.steps for name in _skills(step, trace.format)))
    used = f"skills used: {some(others)}" if others else "no skill was used"
    note = ""
    if not any(_is(listed, names) for listed in trace.skills) and not _is_known(skill, evidence.case):
        lists = f", and the trace lists others: {some(list(trace.skills))}" if trace.skills else ""
        note = f"{UNKNOWN_SKILL} {skill}: no SKILL.md is known for that name{lists}"
    return seen(False, f"skill {skill} was not used; {used}; {called(trace.steps)}", rule, trace, note)


def names_of(skill: str, case: Case | None) -> tuple[str, ...]:
    """The names that the skill goes by: its own, and that of its folder, where it is the case's skill."""
    facts = case.facts if case is not None else None
    return facts.skill_names if facts is not None and skill in facts.skill_names else (skill,)


def _is_known(skill: str, case: Case | None) -> bool:
    """Whether there is a SKILL.md for the name: else it may be misspelt, and was not used for that reason."""
    facts = case.facts if case is not None else None
    if facts is None:
        return False
    places = [facts.skill_path, facts.folder, *facts.folder.parents[:2], *facts.inputs]
    folders = [
        path for place in places if place is not None for path in (place, place / skill, place / "skills" / skill)
    ]
    return any(
        skill in (path.name, declared_name(path)) and (path / SKILL_FILE).is_file() for path in dict.fromkeys(folders)
    )


def _loads(step: Step, names: tuple[str, ...], format_name: str) -> bool | None:
    """Whether a call loads the skill; None where the trace doesn't tell."""
    if not step.tool:
        return None
    if family_of(format_name, step.tool, step.args) == "skill":
        if any(_is(name, names) for name in _given(step)) or _names_file(step, names):
            return True
        return None if step.args is None else False
    return _by_file(step, names, format_name)


def _names_file(step: Step, names: tuple[str, ...]) -> bool:
    """Whether a call's arguments name the skill's SKILL.md."""
    return any(_of_skill(match[1], names) for text in _texts(step) for match in _FILE.finditer(text))


def _is(name: str, names: tuple[str, ...]) -> bool:
    return name in names or name.rpartition(":")[2] in names


def _given(step: Step) -> Iterator[str]:
    """The skill that a call of a tool for skills names: alone in one argument, others hold what is asked of it."""
    if isinstance(step.args, dict):
        asked = [value for key in _NAMED if isinstance(value := step.args.get(key), str)]
        yield from (one.lstrip("/") for one in asked[:1])
    elif isinstance(step.args, str):
        yield step.args.lstrip("/")
    elif step.args_raw:
        yield from (match[1].lstrip("/") for match in _RAW_NAME.finditer(step.args_raw))


def _skills(step: Step, format_name: str) -> Iterator[str]:
    """The skills that a call names, for people."""
    if family_of(format_name, step.tool, step.args) == "skill":
        yield from _given(step)
    for text in _texts(step):
        yield from (match[1] for match in _FILE.finditer(text) if match[1])


def _texts(step: Step) -> list[str]:
    return list(json_texts(step.args)) or ([step.args_raw] if step.args_raw else [])


def _by_file(step: Step, names: tuple[str, ...], format_name: str) -> bool | None:
    """Whether a call reads the skill's SKILL.md."""
    reads = _kind(step, format_name)
    if reads is False:
        return False
    if step.args is None and not step.args_raw:
        return None  # any file may have been read
    texts = _texts(step)
    if reads == "shell":
        found = [_in_command(command, step, names) for command in _commands(step)]
    else:
        found = [
            (reads is True or None) if (its := _of_skill(match[1], names)) else its
            for text in texts
            for match in _FILE.finditer(text)
        ]
    if True in found:
        return True
    # Arguments that are not whole may name more.
    return None if None in found or step.args is None else False


def _of_skill(folder: str | None, names: tuple[str, ...]) -> bool | None:
    """Whether a SKILL.md in a folder of this name is the skill's; None where the folder isn't told."""
    if folder is None or folder in (".", "..") or folder.startswith("$"):
        return None
    return any(fnmatchcase(name, folder) for name in names)


def _kind(step: Step, format_name: str) -> bool | str | None:
    """Whether a tool reads files, by its name; "shell" where its command says; None where nothing does."""
    family = family_of(format_name, step.tool, step.args)
    if family is not None:
        return "shell" if family == "shell" else family == "read"
    words = {word.lower() for word in _WORDS.findall(step.tool.rpartition("__")[2])}
    if "editor" in words or "str_replace" in step.tool:
        return None  # an editor reads or writes by what it is told, which isn't known
    if words & _READ:
        return True
    if words & _OTHER:
        return False
    if words & _SHELL:
        return "shell"
    return True if words & _ALSO_READ else None


def _commands(step: Step) -> list[str]:
    """What a call has a shell do."""
    lists = [
        one for one in (step.args.values() if isinstance(step.args, dict) else [step.args]) if isinstance(one, list)
    ]
    joined = [" ".join(str(word) for word in one) for one in lists]
    inside = set(chain.from_iterable(json_texts(one) for one in lists))
    return [*joined, *(text for text in _texts(step) if text not in inside)]


def _in_command(command: str, step: Step, names: tuple[str, ...]) -> bool | None:
    """Whether a command reads the skill's SKILL.md."""
    args = step.args if isinstance(step.args, dict) else {}
    here = next((str(args[key]) for key in _FOLDERS if isinstance(args.get(key), str)), "")
    found: list[bool | None] = []
    for part in _SPLIT.split(command):
        words = _SHELLS.sub("", part[_end(_BEFORE, part) :], count=1)
        words = words[_end(_BEFORE, words) :]
        verb = PurePosixPath(words.split(maxsplit=1)[0]).name.lower() if words.split() else ""
        if verb in ("cd", "pushd") and len(words.split()) > 1:
            here = words.split()[1].strip("\"'")
        for match in _FILE.finditer(part):
            folder = match[1] or PurePosixPath(here.replace("\\", "/")).name or None
            its = _of_skill(folder, names)
            reads = _reads(verb, part, command)
            found.append(False if its is False or reads is False else (True if its and reads else None))
    if True in found:
        return True
    return None if None in found else False


def _end(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.match(text)
    return match.end() if match else 0


def _reads(verb: str, part: str, command: str) -> bool | None:
    """Whether a part of a command that names a SKILL.md shows what is in it."""
    if _WRITTEN.search(part):
        return False
    if verb in _READERS:
        return not (verb == "sed" and re.search(r"\s-\w*i", part))
    if _READS_ALL.search(command):
        return True
    if verb in _NO_READERS:
        return False
    if _LANGUAGES.fullmatch(verb):
        return (
            False
            if re.search(r"write|[\"'][wax]b?\+?[\"']", part)
            else (True if "open" in part or "read" in part else None)
        )
    return None
