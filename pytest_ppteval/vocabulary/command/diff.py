"""`ppteval diff BEFORE AFTER`: every change, in the words that `changes: {allow: ...}` takes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pytest_ppteval.vocabulary.allow import seen_changes
from pytest_ppteval.vocabulary.command.decks import open_world

if TYPE_CHECKING:
    import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("before", help="a .pptx file")
    parser.add_argument("after", help="what has become of it")
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(options: argparse.Namespace) -> int:
    """Print the changes; exit status 1 where there are any, as diff(1) has it. Raises ValueError."""
    changes = list(seen_changes(open_world(options.before, options.after)))
    if options.json:
        shown = [{"what": c.what, "slide": c.slide, "shape": c.shape, "says": c.says} for c in changes]
        print(json.dumps(shown, indent=2, ensure_ascii=False))
    else:
        for change in changes:
            print(change.says)
        if not changes:
            print("nothing that can be seen differs")
    return 1 if changes else 0
