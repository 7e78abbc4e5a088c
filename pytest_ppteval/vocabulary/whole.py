"""All of the vocabulary, imported: for the sandbox, which has it ready before the first deck leaf comes."""

from __future__ import annotations

from importlib import import_module

from pytest_ppteval.vocabulary import checks, guards, judge, making

for _folder in (checks, guards):
    for _name in _folder.NAMES:
        import_module(f"{_folder.__name__}.{_name}")

__all__ = ["judge", "making"]
