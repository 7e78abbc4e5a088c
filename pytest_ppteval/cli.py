"""The `ppteval` command. Each subcommand is a module of its own room, imported only when it is used.

Such a module has `arguments(parser)`, which adds its options, and `run(options) -> int`, which returns the exit status.
For what a user can put right it raises ValueError (or a kind of it) or OSError with one line that names the remedy.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module

# name -> (module, one line of help)
COMMANDS = {
    "look": ("pytest_ppteval.vocabulary.command.look", "show a deck as a viewer sees it, in the words of rubrics"),
    "diff": ("pytest_ppteval.vocabulary.command.diff", "show what changed between two decks, in the words of rubrics"),
    "check": ("pytest_ppteval.check.command", "is this rubric right? try it on decks of which that is known"),
    "approve": ("pytest_ppteval.baseline.command.approve", "look at runs, and keep them to compare with"),
    "baselines": ("pytest_ppteval.baseline.command.baselines", "which approved runs are fresh, stale or missing"),
    "sync": ("pytest_ppteval.baseline.command.sync", "copy approved runs from or to another folder"),
    "compare": ("pytest_ppteval.runs.command.compare", "what got better or worse from one run to another"),
    "merge": ("pytest_ppteval.runs.command.merge", "make one run of several, such as the shards of a CI matrix"),
    "export": ("pytest_ppteval.runs.command.export", "write a run in PPT-Eval's own result layout"),
    "trace": ("pytest_ppteval.trace.command", "show an agent's trace: steps, tokens, cost, final response"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; the exit status: 0 fine, 1 what the command found is not, 2 used or fed wrongly."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(prog="ppteval", description="Judge PowerPoint agents and agent skills.")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (module, help_text) in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=help_text, description=help_text)
        if name in arguments:
            import_module(module).arguments(subparser)
    options = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a character must not stop us
    try:
        status = import_module(COMMANDS[options.command][0]).run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as head(1), had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError) as error:
        print(f"ppteval {options.command}: {error}", file=sys.stderr)
        return 2
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
