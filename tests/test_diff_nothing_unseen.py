"""Nothing that can be seen changes unseen: each change has its word beside all others; what is only read has none."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any

import pytest
import test_diff_slides as edits
from deck_edits import A, R, deck_bytes, diff_bytes, edited, put, rezipped, root, xml
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI

from pytest_ppteval.deck.account import INVISIBLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from pptx.presentation import Presentation

    Edit = Callable[[Presentation], object]

shape = edits.shape
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
BLACK_ON_WHITE = (
    '<a:overrideClrMapping bg1="dk1" tx1="lt1" bg2="dk2" tx2="lt2" accent1="accent6" accent2="accent5"'
    ' accent3="accent4" accent4="accent3" accent5="accent2" accent6="accent1" hlink="hlink" folHlink="folHlink"/>'
)


def first(deck: Presentation, slide: int, path: str) -> Any:
    """The first element of a slide that lxml's path leads to, names with the usual prefixes."""
    found = root(deck.slides[slide]).find(clark(path))
    assert found is not None, path
    return found


def clark(path: str) -> str:
    spaces = {"a": A, "p": root_space, "r": R}
    return re.sub(r"\b([apr]):", lambda match: f"{{{spaces[match[1]]}}}", path)


root_space = "http://schemas.openxmlformats.org/presentationml/2006/main"


def whats(before: bytes, after: bytes) -> list[tuple[str, int | None]]:
    changes = diff_bytes(before, after).account.changes
    return [(change.what, change.slide_number) for change in changes if change.what not in INVISIBLE]


def words(name: str, prepare: Edit, edit: Edit) -> list[str]:
    """The words for an edit of a deck of tests/data that was prepared for it."""
    before = edited(deck_bytes(name), prepare)
    return [what for what, _ in whats(before, edited(before, edit))]


def nothing(deck: Presentation) -> None:
    """As it is."""


# ---- beside an allowed change ----------------------------------------------------------------------------------------


def attach(deck: Presentation, owner: Any, kind: str, name: str, content: str, content_type: str) -> str:
    part = Part(PackURI(name), content_type, deck.part.package, content.encode())
    return str(owner.relate_to(part, OFFICE + kind))


def override_colours(deck: Presentation) -> None:
    holder = first(deck, 0, "p:clrMapOvr")
    holder[:] = [xml(BLACK_ON_WHITE)]


def hide_master_shapes(deck: Presentation) -> None:
    root(deck.slides[0]).set("showMasterSp", "0")


def theme(colour: str) -> str:
    return (
        f'<a:themeOverride xmlns:a="{A}"><a:clrScheme name="x"><a:accent1><a:srgbClr val="{colour}"/></a:accent1>'
        "</a:clrScheme></a:themeOverride>"
    )


THEME_OVERRIDE = "application/vnd.openxmlformats-officedocument.themeOverride+xml"


def override_theme(deck: Presentation) -> None:
    attach(deck, deck.slides[0].part, "themeOverride", "/ppt/theme/themeOverride7.xml", theme("FF0000"), THEME_OVERRIDE)


def tag(deck: Presentation) -> None:
    content = f'<p:tagLst xmlns:p="{root_space}"><p:tag name="A" val="B"/></p:tagLst>'
    kind = "application/vnd.openxmlformats-officedocument.presentationml.tags+xml"
    key = attach(deck, deck.slides[0].part, "tags", "/ppt/tags/tag7.xml", content, kind)
    tags = xml("<p:custDataLst><p:tags/></p:custDataLst>")
    tags[0].set(f"{{{R}}}id", key)
    first(deck, 0, "p:cSld").append(tags)


def timing(volume: int, build: str) -> str:
    """A film that plays at a volume, and an effect on the title, which comes in by `build`."""
    return f"""<p:timing><p:tnLst><p:par><p:cTn id="1" dur="indefinite" nodeType="tmRoot"><p:childTnLst>
      <p:seq><p:cTn id="2" nodeType="mainSeq"><p:childTnLst><p:par><p:cTn id="3" presetID="10" presetClass="entr"
        presetSubtype="0" grpId="0" nodeType="clickEffect"><p:childTnLst><p:animEffect transition="in" filter="fade">
        <p:cBhvr><p:cTn id="4" dur="500"/><p:tgtEl><p:spTgt spid="2"/></p:tgtEl></p:cBhvr></p:animEffect>
        </p:childTnLst></p:cTn></p:par></p:childTnLst></p:cTn></p:seq>
      <p:video><p:cMediaNode vol="{volume}"><p:cTn id="5" fill="hold"/><p:tgtEl><p:spTgt spid="3"/></p:tgtEl>
        </p:cMediaNode></p:video>
      </p:childTnLst></p:cTn></p:par></p:tnLst><p:bldLst><p:bldP spid="2" grpId="0" {build}/></p:bldLst></p:timing>"""


def playing(volume: int, build: str = "") -> Edit:
    return lambda deck: put(deck.slides[0], timing(volume, build))


BESIDE: dict[str, tuple[Edit, Edit, str]] = {
    "another colour map": (nothing, override_colours, "colour map"),
    "the master's shapes gone": (nothing, hide_master_shapes, "master shapes"),
    "a theme of its own": (nothing, override_theme, "theme override"),
    "tags": (nothing, tag, "tags"),
    "a film's volume": (playing(50_000), playing(9_000), "media"),
    "how an effect builds": (playing(50_000), playing(50_000, 'build="p"'), "build"),
    "a transition's sound": (
        lambda deck: put(deck.slides[0], "<p:transition><p:fade/></p:transition>"),
        lambda deck: put(
            deck.slides[0], '<p:transition><p:fade/><p:sndAc><p:stSnd loop="1"><p:snd name="x"/></p:stSnd></p:sndAc>'
            "</p:transition>"
        ),
        "transition",
    ),
    "a second tree of shapes": (
        nothing, lambda deck: first(deck, 0, "p:cSld").append(copy.deepcopy(first(deck, 0, "p:cSld/p:spTree"))), "other"
    ),
    "a background of its own": (
        nothing,
        lambda deck: first(deck, 0, "p:cSld").insert(0, xml("<p:bg><p:bgPr><a:noFill/></p:bgPr></p:bg>")),
        "background",
    ),
    "how long the whole timing lasts": (
        playing(50_000), lambda deck: first(deck, 0, ".//p:cTn").set("dur", "1"), "animation"
    ),
    "unheard of": (nothing, lambda deck: root(deck.slides[0]).set("unheard", "1"), "other"),
}  # fmt: skip


@pytest.mark.parametrize("name", BESIDE)
def test_a_change_of_the_slide_is_told_beside_an_allowed_one(name: str) -> None:
    prepare, edit, word = BESIDE[name]
    before = edited(deck_bytes("comments"), prepare)

    def both(deck: Presentation) -> None:
        edit(deck)
        shape(deck, 0, "Title 1").text_frame.text = "Other words"

    diff = diff_bytes(before, edited(before, both))
    found = [(change.what, change.slide_number) for change in diff.account.changes]
    assert sorted(found) == sorted([("text", 1), (word, 1)])
    assert diff.account.only_changed(slides=[1], what=["text"])[1] == 0.0
    assert diff.account.only_changed(slides=[1], what=["text", word])[1] == 1.0


def test_what_comes_and_goes_with_an_effect_is_no_change_of_its_own() -> None:
    """An effect has an entry in the list of builds, and shifts the numbers of all that follow."""

    def without(deck: Presentation) -> None:
        put(deck.slides[0], timing(50_000, "").replace('<p:par><p:cTn id="3"', '<p:par><p:cTn id="9"'))
        for path in (".//p:seq", "p:timing/p:bldLst"):
            element = first(deck, 0, path)
            element.getparent().remove(element)

    assert words("comments", without, playing(50_000)) == ["animation"]


def test_effects_numbered_anew_are_the_same_effects() -> None:
    def renumber(deck: Presentation) -> None:
        for node in root(deck.slides[0]).iter(clark("p:cTn")):
            node.set("id", str(100 + int(node.get("id", ""))))

    assert words("comments", playing(50_000), renumber) == []


def test_an_effect_on_a_shape_that_got_another_number_is_lost() -> None:
    def renumber(deck: Presentation) -> None:
        shape(deck, 0, "Title 1")._element.nvSpPr.cNvPr.set("id", "77")

    def consistently(deck: Presentation) -> None:
        renumber(deck)
        for target in [*root(deck.slides[0]).iter(clark("p:spTgt")), *root(deck.slides[0]).iter(clark("p:bldP"))]:
            target.set("spid", "77" if target.get("spid") == "2" else "3")

    assert words("comments", playing(50_000), renumber) == ["animation", "build"]
    # ppt_diff tells effects apart by the shape's number, so there is one less and one more.
    assert words("comments", playing(50_000), consistently) == ["animation", "animation"]


# ---- each visible change of a shape has its word ---------------------------------------------------------------------

RUN = "<a:r><a:t>{}</a:t></a:r>"
FIELD = '<a:fld id="{{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}}" type="{}"><a:t>{}</a:t></a:fld>'
MATHS = (
    '<mc:AlternateContent><mc:Choice Requires="a14" xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main">'
    '<a14:m><m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:r><m:t>{}</m:t></m:r>'
    "</m:oMath></a14:m></mc:Choice></mc:AlternateContent>"
)
CLICK = '<a:r><a:rPr><a:hlinkClick r:id="" action="ppaction://hlinkshowjump?jump={}" tooltip="{}"/></a:rPr><a:t>go</a:t></a:r>'  # noqa: E501


def text_box(paragraphs: str, body: str = "<a:bodyPr/>", properties: str = "", more: str = "") -> str:
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="901" name="Box" {properties}/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr>'
        f'<a:xfrm {more}><a:off x="914400" y="914400"/><a:ext cx="1800000" cy="900000"/></a:xfrm>'
        f'<a:prstGeom prst="rect"/></p:spPr><p:txBody>{body}<a:lstStyle/>{paragraphs}</p:txBody></p:sp>'
    )


def group(inner: str, link: str = "") -> str:
    return (
        f'<p:grpSp><p:nvGrpSpPr><p:cNvPr id="902" name="Group">{link}</p:cNvPr><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr>'
        f'<p:grpSpPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="3000000" cy="3000000"/>{inner}</a:xfrm></p:grpSpPr>'
        f"{text_box('<a:p/>')}</p:grpSp>"
    )


def connector(shape_id: int, site: int = 1) -> str:
    return (
        '<p:cxnSp><p:nvCxnSpPr><p:cNvPr id="903" name="Arrow"/><p:cNvCxnSpPr>'
        f'<a:stCxn id="{shape_id}" idx="{site}"/></p:cNvCxnSpPr><p:nvPr/></p:nvCxnSpPr><p:spPr/></p:cxnSp>'
    )


def paragraph(inner: str, properties: str = "") -> str:
    return f"<a:p>{properties}{inner}</a:p>"


def box(inner: str) -> str:
    return text_box(paragraph(inner))


SPACE = '<a:chOff x="0" y="0"/><a:chExt cx="{}" cy="3000000"/>'
TWO_LINES = paragraph(RUN.format("one")) + '<a:p><a:endParaRPr sz="{}"/></a:p>' + paragraph(RUN.format("three"))
AUTOFIT = '<a:bodyPr><a:normAutofit fontScale="{}"/></a:bodyPr>'
PAIRS: dict[str, tuple[str, str, list[str]]] = {
    "a group's inner scale": (group(SPACE.format(3_000_000)), group(SPACE.format(6_000_000)), ["rescaled"]),
    "a link on a group": (
        group(SPACE.format(3_000_000)),
        group(SPACE.format(3_000_000), '<a:hlinkClick r:id="" action="ppaction://hlinkshowjump?jump=nextslide"/>'),
        ["link"],
    ),
    "an equation": (box(MATHS.format("E=m")), box(MATHS.format("E=0")), ["equation"]),
    "an equation gone": (box(MATHS.format("E=m") + RUN.format("a")), box(RUN.format("a")), ["equation"]),
    "another field": (box(FIELD.format("slidenum", 4)), box(FIELD.format("datetime1", 4)), ["field"]),
    "a field made plain text": (box(FIELD.format("slidenum", 4)), box(RUN.format(4)), ["field"]),
    "a field made other text": (box(FIELD.format("slidenum", 4)), box(RUN.format("x")), ["text", "field"]),
    "what a field computed": (box(FIELD.format("slidenum", 4)), box(FIELD.format("slidenum", 5)), []),
    "the height of an empty line": (
        text_box(TWO_LINES.format(1200)), text_box(TWO_LINES.format(8800)), ["restyled"]
    ),
    "the height of an empty line beside other words": (
        text_box(TWO_LINES.format(1200)), text_box(TWO_LINES.format(8800).replace("one", "won")), ["text", "restyled"]
    ),
    "the height of the last empty line": (
        box(RUN.format("a") + '<a:br/><a:endParaRPr sz="1200"/>'),
        box(RUN.format("a") + '<a:br/><a:endParaRPr sz="8800"/>'),
        ["restyled"],
    ),
    "how far text is shrunk": (
        text_box(paragraph(RUN.format("a")), AUTOFIT.format(90_000)),
        text_box(paragraph(RUN.format("a")), AUTOFIT.format(25_000)),
        ["autofit"],
    ),
    "how far text is shrunk, beside other words": (
        text_box(paragraph(RUN.format("a")), AUTOFIT.format(90_000)),
        text_box(paragraph(RUN.format("b")), AUTOFIT.format(25_000)),
        ["text", "autofit"],
    ),
    "a tooltip": (box(CLICK.format("nextslide", "on")), box(CLICK.format("nextslide", "to page 2")), ["tooltip"]),
    "a jump elsewhere": (box(CLICK.format("nextslide", "on")), box(CLICK.format("endshow", "on")), ["link"]),
    "a jump and its tooltip": (box(CLICK.format("nextslide", "on")), box(CLICK.format("endshow", "off")),
                               ["link", "tooltip"]),
    "glue to another shape": (connector(2), connector(3), ["glue"]),
    "glue to another side": (connector(2), connector(2, 3), ["glue"]),
    "hidden": (box(RUN.format("a")), text_box(paragraph(RUN.format("a")), properties='hidden="1"'), ["shape hidden"]),
    "shown": (text_box(paragraph(RUN.format("a")), properties='hidden="1"'), box(RUN.format("a")), ["shape shown"]),
    "a mere shape": (box(RUN.format("a")), box(RUN.format("a")).replace(' txBox="1"', ""), ["role"]),
    "of a placeholder": (
        box(RUN.format("a")), box(RUN.format("a")).replace("<p:nvPr/>", '<p:nvPr><p:ph idx="9"/></p:nvPr>'), ["role"]
    ),
    "locked": (
        box(RUN.format("a")),
        box(RUN.format("a")).replace(
            '<p:cNvSpPr txBox="1"/>', '<p:cNvSpPr txBox="1"><a:spLocks noMove="1"/></p:cNvSpPr>'
        ),
        ["locks"],
    ),
    "a colour that is only asked for is black in PowerPoint": (
        box(RUN.format("a")), box("<a:r><a:rPr><a:solidFill/></a:rPr><a:t>a</a:t></a:r>"), ["restyled"]
    ),
    "another look of one more paragraph": (
        box(RUN.format("a")),
        text_box(paragraph(RUN.format("a")) + paragraph('<a:r><a:rPr sz="800"/><a:t>b</a:t></a:r>')),
        ["text", "restyled"],
    ),
    "an empty box filled": (box(""), box(RUN.format("a")), ["text"]),
    "an empty box filled in small print": (
        box(""), box('<a:r><a:rPr sz="100"/><a:t>b</a:t></a:r>'), ["text", "restyled"]
    ),
    "an empty box filled as it would be typed": (
        box('<a:endParaRPr sz="900"/>'), box('<a:r><a:rPr sz="900"/><a:t>b</a:t></a:r>'), ["text"]
    ),
}  # fmt: skip


def with_shape(text: str) -> Edit:
    """Put a shape on the first slide, in the place of the one of that name."""

    def edit(deck: Presentation) -> None:
        new = xml(text)
        tree = first(deck, 0, "p:cSld/p:spTree")
        name = next(new.iter(clark("p:cNvPr"))).get("name")
        for old in list(tree):
            if [found.get("name") for found in old.iter(clark("p:cNvPr"))][:1] == [name]:
                tree.remove(old)
        tree.append(new)

    return edit


@pytest.mark.parametrize("name", PAIRS)
def test_each_change_of_a_shape_has_its_word(name: str) -> None:
    before, after, expected = PAIRS[name]
    assert words("comments", with_shape(before), with_shape(after)) == expected


def test_smart_art_drawn_otherwise() -> None:
    """Its drawing is a part that the slide's XML does not name, and what programs show."""
    deck = deck_bytes("dense")
    drawing = (
        '<dsp:drawing xmlns:dsp="http://schemas.microsoft.com/office/drawing/2008/diagram"><a:t xmlns:a="{}">{}</a:t>'
        "</dsp:drawing>"
    )
    frame = (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="77" name="Steps"/><p:cNvGraphicFramePr/><p:nvPr/>'
        '</p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="1" cy="1"/></p:xfrm><a:graphic><a:graphicData'
        ' uri="http://schemas.openxmlformats.org/drawingml/2006/diagram"><dgm:relIds'
        ' xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" r:dm="{}" r:lo="" r:qs="" r:cs=""/>'
        "</a:graphicData></a:graphic></p:graphicFrame>"
    )

    def steps(deck: Presentation) -> None:
        part = deck.slides[0].part
        drawn = Part(
            PackURI("/ppt/diagrams/drawing7.xml"), "application/xml", part.package, drawing.format(A, 1).encode()
        )
        key = part.relate_to(drawn, "http://schemas.microsoft.com/office/2007/relationships/diagramDrawing")
        data = (
            '<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"><dsp:dataModelExt'
            f' xmlns:dsp="http://schemas.microsoft.com/office/drawing/2008/diagram" relId="{key}"/></dgm:dataModel>'
        )
        model = attach(deck, part, "diagramData", "/ppt/diagrams/data7.xml", data, "application/xml")
        with_shape(frame.format(model))(deck)

    before = edited(deck, steps)
    after = rezipped(before, lambda parts: parts.update({"ppt/diagrams/drawing7.xml": drawing.format(A, 2).encode()}))
    (change,) = diff_bytes(before, after).account.changes
    assert (change.what, change.slide_number, change.shape_name) == ("content", 1, "Steps")


# ---- outside of the slides -------------------------------------------------------------------------------------------


def test_a_layouts_theme_override() -> None:
    def override(colour: str) -> Edit:
        def edit(deck: Presentation) -> None:
            layout = deck.slide_layouts[1].part
            held = [rel.target_part for rel in layout.rels.values() if rel.reltype.endswith("/themeOverride")]
            if held:
                held[0]._blob = theme(colour).encode()
            else:
                attach(deck, layout, "themeOverride", "/ppt/theme/themeOverride7.xml", theme(colour), THEME_OVERRIDE)

        return edit

    before = edited(deck_bytes("comments"), override("1F6FA8"))
    assert whats(deck_bytes("comments"), before) == [("layout design", None)]
    assert whats(before, edited(before, override("FF0000"))) == [("layout design", None)]
    assert whats(before, edited(before, nothing)) == []


def test_comments_are_a_change_of_their_slide() -> None:
    data = deck_bytes("comments")

    def reword(parts: dict[str, bytes]) -> None:
        name = min(name for name in parts if name.startswith("ppt/comments/") and name.endswith(".xml"))
        parts[name], count = re.subn(rb"(<(?:p|a):(?:text|t)>)", rb"\1Other ", parts[name], count=1)
        assert count

    diff = diff_bytes(data, rezipped(data, reword))
    (change,) = diff.account.changes
    (slide,) = [part.name for part in diff.changed_parts]
    assert (change.what, f"slide {change.slide_number}") == ("comments", slide)
    assert change.slide_id is not None


def test_what_an_add_in_keeps_in_the_presentation() -> None:
    def keep(deck: Presentation) -> None:
        top: Any = deck.part._element
        top.append(xml('<p:extLst><p:ext uri="{0}"><p:x val="1"/></p:ext></p:extLst>'))

    data = edited(deck_bytes("text"), keep)
    assert whats(deck_bytes("text"), data)[-1:] == [("presentation", None)]
    assert whats(data, edited(data, nothing)) == []


def test_comment_authors_renamed() -> None:
    data = deck_bytes("comments")

    def rename(parts: dict[str, bytes]) -> None:
        (name,) = [name for name in parts if "uthors" in name and name.endswith(".xml")]
        parts[name], count = re.subn(rb'\bname="[^"]*"', b'name="Somebody Else"', parts[name], count=1)
        assert count

    changes = diff_bytes(data, rezipped(data, rename)).account.changes
    assert [(change.what, change.slide_number) for change in changes] == [("comment authors", None)]


def test_a_table_style_that_tables_have_is_told_when_it_goes() -> None:
    style = "{11111111-2222-3333-4444-555555555555}"
    definition = f'<a:tblStyle xmlns:a="{A}" styleId="{style}" styleName="Own"/>'.encode()

    def styles(parts: dict[str, bytes]) -> None:
        content = re.sub(
            rb"<(\w+:)?tblStyleLst([^>]*?)/?>.*", rb"<\1tblStyleLst\2>", parts["ppt/tableStyles.xml"], flags=re.S
        )
        parts["ppt/tableStyles.xml"] = content + definition + b"</a:tblStyleLst>"

    def without(parts: dict[str, bytes]) -> None:
        parts["ppt/tableStyles.xml"] = parts["ppt/tableStyles.xml"].replace(definition, b"")

    def use(deck: Presentation) -> None:
        next(root(deck.slides[0]).iter(clark("a:tableStyleId"))).text = style

    used = rezipped(edited(deck_bytes("dense"), use), styles)
    assert whats(used, rezipped(used, without)) == [("table styles", None)]
    unused = rezipped(deck_bytes("dense"), styles)
    assert whats(unused, rezipped(unused, without)) == []


# ---- what is only read, and PowerPoint's own marks -------------------------------------------------------------------


def read_everything(deck: Presentation) -> None:
    """As a careful agent does before it changes anything."""
    holders = [*deck.slides, *deck.slide_layouts, deck.slide_master]
    for holder in holders:
        for found in holder.shapes:
            if found.has_text_frame:
                _ = found.text_frame.auto_size, found.text_frame.word_wrap, found.text_frame.vertical_anchor
                for line in found.text_frame.paragraphs:
                    _ = line.alignment, line.level, line.line_spacing, line.space_after, line.font.size
                    _ = [(run.font.size, run.font.bold, run.font.name, run.hyperlink.address) for run in line.runs]
            if found.has_table:
                for cell in found.table.iter_cells():
                    _ = cell.fill.type, cell.vertical_anchor, cell.margin_left, cell.text_frame.text
            if hasattr(found, "line"):
                _ = found.line.width, found.line.fill.type, found.line.dash_style
            if hasattr(found, "fill"):
                _ = found.fill.type, found.shadow.inherit, found.rotation
            if hasattr(found, "crop_left"):
                _ = found.crop_left, found.crop_top


@pytest.mark.parametrize("name", ["comments", "dense", "groups", "languages", "shapes", "text", "fly_in"])
def test_reading_is_no_change(name: str) -> None:
    data = deck_bytes(name)
    diff = diff_bytes(data, edited(data, read_everything))
    assert [change for change in diff.account.changes if change.what not in INVISIBLE] == []
    assert diff.changed_parts == []
    assert diff.account.only_changed()[1] == 1.0


def mark(deck: Presentation) -> None:
    """What PowerPoint notes down as one works."""
    for slide in [*deck.slides, *deck.slide_layouts]:
        element: Any = slide.element
        for properties in element.iter(clark("a:rPr"), clark("a:endParaRPr")):
            properties.set("lang", "fi-FI")
            properties.set("dirty", "0")
            properties.set("err", "1")
            properties.set("smtClean", "0")
            properties.set("noProof", "1")


@pytest.mark.parametrize("name", ["comments", "dense", "text"])
def test_powerpoints_marks_are_no_change(name: str) -> None:
    data = deck_bytes(name)
    assert whats(data, edited(data, mark)) == []


# ---- one value, several spellings ------------------------------------------------------------------------------------


def placed(x: str, width: str = "1800000") -> str:
    return box(RUN.format("a")).replace('off x="914400"', f'off x="{x}"').replace('cx="1800000"', f'cx="{width}"')


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (placed("1in"), placed("5in"), ["moved"]),
        (placed("914400"), placed("1in"), []),
        (placed("914400"), placed("2.54cm"), []),
        (placed("914400"), placed("25.4mm"), []),
        (placed("914400"), placed("72pt"), []),
        (placed("914400"), placed("6pc"), []),
        (placed("914400"), placed("6pi"), []),
        (placed("914400"), placed("914400.0"), []),
        (placed("-360000"), placed("-1cm"), []),
        (placed("-360000"), placed("1cm"), ["moved"]),
        (placed("914400.0"), placed("914401.0"), ["moved"]),
        (placed("0", "1800000"), placed("0", "5cm"), []),
        (placed("0", "2in"), placed("0", "3in"), ["resized"]),
        (placed("nowhere"), placed("elsewhere"), ["moved"]),
        (placed("914400"), placed("elsewhere"), ["moved"]),
        (placed("0", "wide"), placed("0", "wider"), ["resized"]),
    ],
)
def test_a_place_is_a_place_in_any_spelling(before: str, after: str, expected: list[str]) -> None:
    assert words("comments", with_shape(before), with_shape(after)) == expected


def test_how_far_it_moved_is_said_in_centimetres_whatever_the_file_says() -> None:
    before = edited(deck_bytes("comments"), with_shape(placed("1in")))
    (change,) = diff_bytes(before, edited(before, with_shape(placed("5in")))).account.changes
    assert str(change) == "slide 1, Box (text box): moved: 10.16 cm right"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (text_box("<a:p/>", more=""), text_box("<a:p/>", more='rot="0" flipH="false"')),
        (text_box("<a:p/>", more='flipH="true"'), text_box("<a:p/>", more='flipH="1"')),
        (
            text_box(paragraph(RUN.format("a")), AUTOFIT.format(90_000)),
            text_box(paragraph(RUN.format("a")), AUTOFIT.format("90%")),
        ),
        (
            text_box(paragraph(RUN.format("a")), "<a:bodyPr><a:normAutofit/></a:bodyPr>"),
            text_box(paragraph(RUN.format("a")), AUTOFIT.format("100000")),
        ),
        (box('<a:r><a:rPr b="true"/><a:t>a</a:t></a:r>'), box('<a:r><a:rPr b="1"/><a:t>a</a:t></a:r>')),
    ],
)
def test_other_spellings_of_a_value_are_no_change(before: str, after: str) -> None:
    assert words("comments", with_shape(before), with_shape(after)) == []


def test_what_is_inherited_where_it_is_left_out_has_no_default() -> None:
    """b="0" in a run of a bold title is not what leaving it out is."""
    plain, set_off = box(RUN.format("a")), box('<a:r><a:rPr b="0"/><a:t>a</a:t></a:r>')
    assert words("comments", with_shape(plain), with_shape(set_off)) == ["restyled"]


def test_names_that_look_like_numbers_are_names() -> None:
    def named(name: str) -> str:
        return box(RUN.format("a")).replace('name="Box"', f'name="{name}"')

    before = edited(deck_bytes("comments"), with_shape(named("01")))

    def rename(deck: Presentation) -> None:
        shape(deck, 0, "01").name = "1"

    assert [what for what, _ in whats(before, edited(before, rename))] == ["renamed"]
