"""What differs outside of the slides: masters, layouts, notes pages, comments, sections, settings of the show.

Left out on purpose: document properties, the thumbnail, the state of PowerPoint's windows and the colours used last,
which each save changes; settings for printing and for the web; and of presentation.xml what says how to save
(removePersonalInfoOnSave, saveSubsetFonts, autoCompressPictures, bookmarkIdSeed, serverZoom, compatMode).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_ppteval.deck.model import PartChange
from pytest_ppteval.deck.normal import says_nothing
from pytest_ppteval.deck.notation import spelled
from pytest_ppteval.deck.parts import element_of, related, same
from pytest_ppteval.deck.side import match_designs
from pytest_ppteval.deck.slides import notes_part, notes_text
from pytest_ppteval.deck.xmlnames import P14, A, P, local_name, parse_blob, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml import etree
    from pptx.opc.package import Part

    from pytest_ppteval.deck.opening import SlidePart
    from pytest_ppteval.deck.side import Design, Side

# Parts of presentation.xml that are compared elsewhere, or that follow from the slides.
_LISTS = {"sldIdLst", "sldMasterIdLst", "notesMasterIdLst", "handoutMasterIdLst", "extLst", "sldSz", "custShowLst"}
# Attributes of presentation.xml: names for people, and what the schema takes them for where they are left out.
_TOP_ATTRIBUTES = {
    "firstSlideNum": ("first slide number", "1"),
    "rtl": ("right to left", "0"),
    "showSpecialPlsOnTitleSld": ("footers on title slides", "1"),
    "strictFirstAndLastChars": ("line breaks of East Asian text", "1"),
}


def changed_parts(
    before: Side, after: Side, designs: dict[Design, Design], slides: Sequence[tuple[SlidePart, SlidePart]]
) -> list[PartChange]:
    """The differences outside of the slides.

    designs: masters and layouts, matched. slides: those that both decks have.
    """
    return [
        *_designs(before, after, designs),
        *_page_masters(before, after),
        *_notes_and_comments(before, after, slides),
        *_comment_authors(before, after),
        *_sections(before, after),
        *_presentation(before, after),
        *_settings(before, after),
    ]


def all_designs(before: Side, after: Side) -> dict[Design, Design]:
    """Masters and layouts of `before`, each with its like in `after`."""
    return match_designs(before.masters, after.masters) | match_designs(before.layouts, after.layouts)


def _designs(before: Side, after: Side, designs: dict[Design, Design]) -> Iterator[PartChange]:
    for old in (*before.masters, *before.layouts):
        new = designs.get(old)
        if new is None:
            yield PartChange(old.kind, old.name, "removed")
        elif (
            old.name != new.name
            or not _same_design(before, old.part, after, new.part)
            or not _same_master(old.part, new.part, designs)
        ):
            yield PartChange(old.kind, new.name, "modified")
    known = set(designs.values())
    for new in (*after.masters, *after.layouts):
        if new not in known:
            yield PartChange(new.kind, new.name, "added")


def _same_master(old: Part, new: Part, designs: dict[Design, Design]) -> bool:
    """Whether a layout follows the same master; for others it does not matter."""
    was, now = next(related(old, "slideMaster"), None), next(related(new, "slideMaster"), None)
    if was is None or now is None:
        return was is now
    return any(one.part is was and other.part is now for one, other in designs.items())


def _same_design(before: Side, old: Part, after: Side, new: Part) -> bool:
    """Equal as it shows, the theme included, the list of a master's layouts left out: those are reported themselves."""
    if after.reader.equals(new, old):
        return True
    if before.reader.raw(old) == after.reader.raw(new) and same(before.reader, old, after.reader, new):
        return _same_lists(before, after, [*related(old, "theme")], [*related(new, "theme")])
    return _design_digest(before, old) == _design_digest(after, new)


def _design_digest(side: Side, part: Part) -> tuple[str, ...]:
    element, shown = element_of(part), side.shown
    own = shown.digest(part) if element is None else shown.element_digest(part, element, _LAYOUT_LIST)
    return own, *shown.implicit(part), *(shown.digest(theme) for theme in related(part, "theme"))


_LAYOUT_LIST = (P + "sldLayoutIdLst",)


def _same_lists(before: Side, after: Side, old: Sequence[Part], new: Sequence[Part]) -> bool:
    return len(old) == len(new) and all(same(before.reader, a, after.reader, b) for a, b in zip(old, new, strict=True))


def _same_as_shown(before: Side, old: Part, after: Side, new: Part) -> bool:
    return same(before.reader, old, after.reader, new) or before.shown.digest(old) == after.shown.digest(new)


def _page_masters(before: Side, after: Side) -> Iterator[PartChange]:
    """A notes master that comes with the first note is no change that anybody made."""
    for kind, name in (("notesMaster", "notes master"), ("handoutMaster", "handout master")):
        old, new = next(related(before.part, kind), None), next(related(after.part, kind), None)
        if old is not None and new is not None:
            if not _same_design(before, old, after, new):
                yield PartChange(name, name, "modified")
        elif kind == "handoutMaster" and old is not new:
            yield PartChange(name, name, "removed" if new is None else "added")


def _notes_and_comments(
    before: Side, after: Side, slides: Sequence[tuple[SlidePart, SlidePart]]
) -> Iterator[PartChange]:
    for old, new in slides:
        name = f"slide {new.number}"
        a, b = notes_part(old.part), notes_part(new.part)
        if after.reader.equals(new.part, old.part) and after.reader.equals(b, a):
            continue
        # Other text makes the slide a modified one; this is about the look of the page.
        same_text = notes_text(old.part) == notes_text(new.part)
        if a is not None and b is not None and same_text and not _same_as_shown(before, a, after, b):
            yield PartChange("notes page", name, "modified")
        comments_before, comments_after = [*related(old.part, "comments")], [*related(new.part, "comments")]
        if not _same_lists(before, after, comments_before, comments_after):
            change = "added" if not comments_before else "removed" if not comments_after else "modified"
            yield PartChange("comments", name, change)


def _comment_authors(before: Side, after: Side) -> Iterator[PartChange]:
    """Those that both decks know, under other names, or that are gone. One who is new comes with a comment."""
    for kind in ("commentAuthors", "authors"):
        old, new = next(related(before.part, kind), None), next(related(after.part, kind), None)
        if after.reader.equals(new, old):
            continue
        was, now = _authors(old), _authors(new)
        gone = [name for key, name in was.items() if key not in now]
        if gone:
            yield PartChange("comment authors", ", ".join(" ".join(name) for name in gone), "removed")
        other = [now[key] for key, name in was.items() if key in now and now[key] != name]
        if other:
            yield PartChange("comment authors", ", ".join(" ".join(name) for name in other), "modified")


def _authors(part: Part | None) -> dict[str, tuple[str, ...]]:
    """What is shown of each author, by id: the name, and the initials; and by whom the name is vouched for."""
    root = _root(part) if part is not None else None
    shown = ("name", "initials", "userId", "providerId")
    return {
        author.get("id", ""): tuple(filter(None, (author.get(name, "") for name in shown)))
        for author in (root.iterchildren("{*}cmAuthor", "{*}author") if root is not None else ())
    }


def _sections(before: Side, after: Side) -> Iterator[PartChange]:
    if after.reader.equals(after.part, before.part):
        return
    old, new = _section_list(before), _section_list(after)
    # A slide that was added or removed changes its section's list of ids, and is reported as a slide.
    common = {slide_id for slide_id, _ in before.slides} & {slide_id for slide_id, _ in after.slides}
    if [(name, ids & common) for name, ids in old] != [(name, ids & common) for name, ids in new]:
        change = "added" if not old else "removed" if not new else "modified"
        yield PartChange("sections", ", ".join(name for name, _ in (new or old)), change)


def _section_list(side: Side) -> list[tuple[str, frozenset[str]]]:
    if side.root is None:
        return []
    return [
        (section.get("name", ""), frozenset(item.get("id", "") for item in section.iter(P14 + "sldId")))
        for section in side.root.iterfind(f"{P}extLst/{P}ext/{P14}sectionLst/{P14}section")
    ]


def _presentation(before: Side, after: Side) -> Iterator[PartChange]:
    """What presentation.xml says besides its lists: size, default text style, embedded fonts, custom shows, ..."""
    if before.root is None or after.root is None or after.reader.equals(after.part, before.part):
        return
    for attribute, (name, default) in _TOP_ATTRIBUTES.items():
        was, now = (
            spelled("presentation", attribute, root.get(attribute, default)) for root in (before.root, after.root)
        )
        if was != now:
            yield PartChange("presentation", name, "modified")
    for tag, kind in (("sldSz", "slide size"), ("custShowLst", "custom shows")):
        yield from _element(before, after, tag, kind, kind)
    if _extensions(before) != _extensions(after):
        yield PartChange("presentation", "extensions", "modified")
    names = dict.fromkeys(local_name(child) for child in (*before.root, *after.root))
    for name in names:
        if name and name not in _LISTS:
            yield from _element(before, after, name, "presentation", name)


def _extensions(side: Side) -> list[str]:
    """What is in the list of extensions besides sections, which are told on their own, and what nobody sees."""
    found = side.root.iterfind(f"{P}extLst/{P}ext") if side.root is not None else ()
    nodes = [side.shown.node(side.part, ext) for ext in found if ext.find(f"{P14}sectionLst") is None]
    return sorted(node.key() for node in nodes if not says_nothing(node))


def _element(before: Side, after: Side, tag: str, kind: str, name: str) -> Iterator[PartChange]:
    old, new = _child_digest(before, tag), _child_digest(after, tag)
    if old != new:
        yield PartChange(kind, name, "added" if old is None else "removed" if new is None else "modified")


def _child_digest(side: Side, name: str) -> str | None:
    child = side.root.find(P + name) if side.root is not None else None
    return side.shown.element_digest(side.part, child) if child is not None else None


def _settings(before: Side, after: Side) -> Iterator[PartChange]:
    """Settings of the show, table styles that were there before, and macros."""
    for kind, name in (("presProps", "show settings"), ("tableStyles", "table styles"), ("vbaProject", "macros")):
        old, new = next(related(before.part, kind), None), next(related(after.part, kind), None)
        if after.reader.equals(new, old):
            continue
        if old is not None and new is not None and before.reader.raw(old) == after.reader.raw(new):
            continue
        if kind == "vbaProject":
            if old is not new:
                yield PartChange(name, name, "added" if old is None else "removed" if new is None else "modified")
            continue
        a, b = _pieces(before, old, kind), _pieces(after, new, kind)
        if (a != b) if kind == "presProps" else _styles_differ(before, a, after, b):
            yield PartChange(name, name, "modified")


def _styles_differ(before: Side, old: dict[str, str], after: Side, new: dict[str, str]) -> bool:
    """Whether tables that were there look different.

    The first table brings its style with it, and a style that no table has may go.
    """
    if any(new.get(key, digest) != digest for key, digest in old.items()):
        return True
    coming, going = new.keys() - old.keys() - {_PLAIN_STYLE}, old.keys() - new.keys()
    return bool((coming and coming & _styles_used(before)) or (going and going & _styles_used(after)))


# Medium Style 2 - Accent 1, which programs know without a definition: python-pptx's tables have it and define none.
_PLAIN_STYLE = "{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}"


def _styles_used(side: Side) -> set[str]:
    return {text_of(style) for slide in side.slides.values() for style in slide.element.iter(A + "tableStyleId")}


def _pieces(side: Side, part: Part | None, kind: str) -> dict[str, str]:
    root = _root(part) if part is not None else None
    if part is None or root is None:
        return {}
    found = root.findall(P + "showPr") if kind == "presProps" else list(root.iterchildren("{*}tblStyle"))
    return {piece.get("styleId", ""): side.shown.element_digest(part, piece) for piece in found}


def _root(part: Part) -> etree._Element | None:
    element = element_of(part)
    return parse_blob(part.blob) if element is None else element
