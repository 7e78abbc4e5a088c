"""What a slide's root holds once, in the forms that the file has for newer and older programs (mc:AlternateContent)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_ppteval.deck.xmlnames import MC

if TYPE_CHECKING:
    from lxml import etree


class Form(NamedTuple):
    """requires: the namespaces that a program must know to take this form, sorted; "" where it need not know any."""

    requires: str
    element: etree._Element


def forms(root: etree._Element, tag: str) -> list[Form]:
    """Its forms in the file's order: a new PowerPoint takes the first, a program that knows no extension the last."""
    found = []
    for child in root.iterchildren(tag, MC + "AlternateContent"):
        if child.tag == tag:
            found.append(Form("", child))
            continue
        for branch in (*child.iterchildren(MC + "Choice"), *child.iterchildren(MC + "Fallback")):
            element = branch.find(tag)
            if element is not None:
                prefixes = branch.get("Requires", "").split()
                found.append(Form(" ".join(sorted(branch.nsmap.get(each) or each for each in prefixes)), element))
    return found
