"""What a shell's command does to files, as far as its words tell."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from pytest_ppteval.grade.rules.calls import json_texts

if TYPE_CHECKING:
    from pytest_ppteval.trace.model import Step

_QUIET = re.compile(r"\d?>\s*(?:/dev/null|&\d)|\d>&\d|2>\s*\S+|&>\s*/dev/null")
_REDIRECT = re.compile(r"(?<![<=\-])>{1,2}\s*(?P<file>[\"']?[^\s\"'|;&<>()]+)")
_VERB = r"(?:^|[;&|\n(`]|\$\(|\bsudo\s|\bxargs\s|\bthen\s|\bdo\s|\bexec\s)\s*(?:[\w./-]*/)?"
_WRITERS = re.compile(
    _VERB + r"(?:tee|rm|mv|cp|touch|mkdir|rmdir|ln|chmod|chown|truncate|dd|rsync|install|unlink|del|copy|move|patch"
    r"|Set-Content|Out-File|Add-Content|New-Item|Remove-Item|sed\s+(?:-\w+\s+)*-\w*i\w*|perl\s+-\w*i\w*)\b",
    re.IGNORECASE,
)
_CODE_WRITES = re.compile(
    r"\.write_text\(|\.write_bytes\(|\.writeFile|open\([^)]*,\s*(?:mode\s*=\s*)?[\"'][rb]*[waxb+]*[wax+]"
    r"|\.to_csv\(|\.to_json\(|\.unlink\(|os\.remove|shutil\.|\.save\("
)
_READ_VERBS = re.compile(
    _VERB + r"(?:cat|tac|head|tail|less|more|bat|nl|awk|gawk|mawk|sed|grep|egrep|rg|jq|yq|sort|uniq|cut|wc|column|paste"
    r"|tr|fold|strings|xxd|od|csvcut|csvsort|csvstat|csvlook|mlr|python[\d.]*|node|ruby|perl|Get-Content|gc|type|diff"
    r"|sqlite3|duckdb|q|datamash|while|mapfile|source)\b",
    re.IGNORECASE,
)


def commands_of(step: Step) -> list[str]:
    """What a call has a shell do: its texts, and lists of words joined."""
    args = step.args
    lists = [one for one in (args.values() if isinstance(args, dict) else [args]) if isinstance(one, list)]
    joined = [" ".join(str(word) for word in one) for one in lists]
    inside = set(chain.from_iterable(json_texts(one) for one in lists))
    texts = [text for text in json_texts(args) if text not in inside]
    return [*joined, *texts] or ([step.args_raw] if step.args_raw else [])


def writes_files(command: str) -> bool:
    """Whether a command writes, moves or deletes files."""
    plain = _QUIET.sub(" ", _without_quoted(command))
    return bool(_REDIRECT.search(plain) or _WRITERS.search(plain) or _CODE_WRITES.search(command))


def writes_file(command: str, name: str) -> bool:
    """Whether a command that writes names the file."""
    return writes_files(command) and _names(command, name)


def reads_file(command: str, name: str) -> bool:
    """Whether a command shows or uses what is in the file: one that lists, moves or only writes it doesn't."""
    if not _names(command, name):
        return False
    rest = re.sub(r">{1,2}\s*[\"']?[^\s\"'|;&<>()]*" + re.escape(name) + r"[\"']?", " ", command)
    if not _names(rest, name):
        return False
    return bool(_READ_VERBS.search(rest)) or bool(re.search(r"(?<!<)<(?!<)\s*[\"']?\S*" + re.escape(name), rest))


def _names(command: str, name: str) -> bool:
    return re.search(r"(?<![\w.-])" + re.escape(name) + r"(?![\w-]|\.\w)", command) is not None


def _without_quoted(command: str) -> str:
    """A command without what stands in quotes: a ">" in a text redirects nothing. Quoted files stay as a word."""
    return re.sub(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", "quoted", command)
