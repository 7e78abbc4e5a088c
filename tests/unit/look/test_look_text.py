"""Text as drawn: who says how a run looks, from the run itself down to the presentation's defaults."""

from __future__ import annotations

from typing import Any

import pytest
from small_looks import TITLE_AND_BODY, Edit, deck_of, element, p, shape_of, slide_of, sp

from pytest_ppteval.look.model import Run, Shape, Text

BODY = '<p:ph idx="1"/>'
TITLE = '<p:ph type="title"/>'
FONT_REFERENCE = (
    '<p:style><a:lnRef idx="0"><a:schemeClr val="accent1"/></a:lnRef><a:fillRef idx="0"><a:schemeClr val="accent1"/>'
    '</a:fillRef><a:effectRef idx="0"><a:schemeClr val="accent1"/></a:effectRef><a:fontRef idx="major">'
    '<a:schemeClr val="accent2"/></a:fontRef></p:style>'
)


def text(shape: Shape) -> Text:
    assert shape.text is not None
    return shape.text


def run(shape: Shape) -> Run:
    return next(text(shape).runs)


def level(size: int, number: int = 1) -> str:
    return f'<a:lstStyle><a:lvl{number}pPr><a:defRPr sz="{size}"/></a:lvl{number}pPr></a:lstStyle>'


def holder(part: Any, kind: tuple[str, ...]) -> Any:
    """The placeholder's shape of a layout or master."""
    for found in part._element.iter("{*}ph"):
        if found.get("type", "obj") in kind:
            return found.getparent().getparent().getparent()
    raise LookupError(kind)


def with_lists(on: str, size: int) -> Edit:
    def edit(presentation: Any, slide: Any) -> None:
        part = slide.slide_layout if on == "layout" else slide.slide_layout.slide_master
        old = holder(part, ("obj", "body")).find("{*}txBody/{*}lstStyle")
        old.getparent().replace(old, element(level(size)))

    return edit


def with_style(name: str, size: int) -> Edit:
    def edit(presentation: Any, slide: Any) -> None:
        style = slide.slide_layout.slide_master._element.find(f"{{*}}txStyles/{{*}}{name}/{{*}}lvl1pPr/{{*}}defRPr")
        style.set("sz", str(size))

    return edit


def all_of(*edits: Edit) -> Edit:
    def edit(presentation: Any, slide: Any) -> None:
        for one in edits:
            one(presentation, slide)

    return edit


LOWER = all_of(with_lists("layout", 2300), with_lists("master", 2200), with_style("bodyStyle", 2100))


@pytest.mark.parametrize(
    ("words", "lists", "edit", "wanted"),
    [
        (p(run='<a:rPr sz="2700"/>', paragraph='<a:pPr><a:defRPr sz="2600"/></a:pPr>'), level(2500), LOWER, 27),
        # What python-pptx's paragraph.font writes, and Keynote.
        (p(paragraph='<a:pPr><a:defRPr sz="2600"/></a:pPr>'), level(2500), LOWER, 26),
        (p(), level(2500), LOWER, 25),
        (p(), level(2500, 2), LOWER, 23),  # another level's
        (p(), "<a:lstStyle/>", LOWER, 23),
        (p(), "<a:lstStyle/>", all_of(with_lists("master", 2200), with_style("bodyStyle", 2100)), 22),
        (p(), "<a:lstStyle/>", with_style("bodyStyle", 2100), 21),
        (p(), "<a:lstStyle/>", None, 32),  # the template's
        (p(paragraph='<a:pPr lvl="1"/>'), "<a:lstStyle/>", LOWER, 28),  # the template's second level
        (p(run='<a:rPr sz="abc"/>'), "<a:lstStyle/>", None, 18),
    ],
)
def test_who_says_the_size(words: str, lists: str, edit: Edit | None, wanted: float) -> None:
    shape = shape_of(sp(words, lists=lists, placeholder=BODY, place=None), edit=edit, layout=TITLE_AND_BODY)
    assert run(shape).size == wanted


def test_a_text_box_follows_the_presentation_not_the_master() -> None:
    assert run(shape_of(sp(p()), edit=all_of(with_style("bodyStyle", 2100), with_style("otherStyle", 4000)))).size == 18

    def edit(presentation: Any, slide: Any) -> None:
        style = presentation.part._element.find("{*}defaultTextStyle/{*}lvl1pPr/{*}defRPr")
        style.set("sz", "1300")

    assert run(shape_of(sp(p()), edit=edit)).size == 13


def test_a_style_s_font_comes_after_the_shape_and_before_the_rest() -> None:
    """p:style is what PowerPoint gives a drawn shape: text in the theme's colour, here in its headings' font."""
    plain = run(shape_of(sp(p(), style=FONT_REFERENCE)))
    assert (plain.colour.rgb, plain.font) == ("C0504D", "Calibri")
    own = '<a:lstStyle><a:lvl1pPr><a:defRPr><a:solidFill><a:srgbClr val="00FF00"/></a:solidFill></a:defRPr></a:lvl1pPr>'
    assert run(shape_of(sp(p(), style=FONT_REFERENCE, lists=own + "</a:lstStyle>"))).colour.rgb == "00FF00"


def test_a_placeholder_s_look_beats_a_style() -> None:
    def edit(presentation: Any, slide: Any) -> None:
        old = holder(slide.slide_layout, ("obj", "body")).find("{*}txBody/{*}lstStyle")
        green = '<a:solidFill><a:srgbClr val="0070C0"/></a:solidFill>'
        new = f"<a:lstStyle><a:lvl1pPr><a:defRPr>{green}</a:defRPr></a:lvl1pPr></a:lstStyle>"
        old.getparent().replace(old, element(new))

    shape = sp(p(), style=FONT_REFERENCE, placeholder=BODY)
    assert run(shape_of(shape, edit=edit, layout=TITLE_AND_BODY)).colour.rgb == "0070C0"
    assert run(shape_of(shape, layout=TITLE_AND_BODY)).colour.rgb == "C0504D"


def test_titles_are_told_apart_by_their_number() -> None:
    """Google Slides writes several titles on a layout, each with an index."""

    def edit(presentation: Any, slide: Any) -> None:
        tree = slide.slide_layout._element.find("{*}cSld/{*}spTree")
        for index, size in ((3, 2000), (4, 1000)):
            tree.append(
                element(sp(placeholder=f'<p:ph type="title" idx="{index}"/>', lists=level(size), shape_id=index))
            )

    def size(index: int) -> float:
        return run(shape_of(sp(p(), placeholder=f'<p:ph type="title" idx="{index}"/>'), edit=edit)).size

    assert [size(3), size(4)] == [20, 10]


def test_a_body_is_not_taken_for_a_date_of_the_same_number() -> None:
    body = sp(p(), placeholder='<p:ph type="body" idx="10"/>', place=None)  # the layout's date has index 10
    assert run(shape_of(body, layout=TITLE_AND_BODY)).size == 32


@pytest.mark.parametrize(
    ("placeholder", "size", "alignment"),
    [('<p:ph type="dt" idx="10"/>', 12, "left"), ('<p:ph type="ftr" idx="11"/>', 12, "centre"),
     ('<p:ph type="sldNum" idx="12"/>', 12, "right"), ('<p:ph type="ftr"/>', 12, "centre"),
     (TITLE, 44, "centre"), ('<p:ph type="ctrTitle"/>', 44, "centre"), ('<p:ph type="subTitle" idx="1"/>', 32, "left")],
)  # fmt: skip
def test_placeholders_of_each_kind(placeholder: str, size: float, alignment: str) -> None:
    shape = shape_of(sp(p(), placeholder=placeholder, place=None), layout=TITLE_AND_BODY)
    assert (run(shape).size, text(shape).paragraphs[0].alignment) == (size, alignment)
    assert shape.box is not None
    assert shape.inherits_place


@pytest.mark.parametrize(
    ("fit", "scale", "size"),
    [
        ("<a:normAutofit/>", 1.0, 20),
        ('<a:normAutofit fontScale="62500" lnSpcReduction="20000"/>', 0.625, 12.5),
        ('<a:normAutofit fontScale="62.5%" lnSpcReduction="20%"/>', 0.625, 12.5),
        ('<a:normAutofit fontScale="0"/>', 1.0, 20),
        ('<a:normAutofit fontScale="9e99"/>', 1.0, 20),
        ("<a:spAutoFit/>", 1.0, 20),
        ("<a:noAutofit/>", 1.0, 20),
    ],
)
def test_text_that_is_shrunk(fit: str, scale: float, size: float) -> None:
    found = text(shape_of(sp(p(run='<a:rPr sz="2000"/>'), body=f"<a:bodyPr>{fit}</a:bodyPr>")))
    assert (found.scale, next(found.runs).size) == (scale, size)
    assert found.autofit == {"n": "shrink", "s": "grow"}[fit[3]] if "noAuto" not in fit else found.autofit == "none"


def test_line_spacing_is_cut_by_points_of_a_hundred() -> None:
    """lnSpcReduction is subtracted (ECMA-376 part 1, 21.1.2.1.3): 90 % less 20 % is 70 %."""
    words = p(paragraph='<a:pPr><a:lnSpc><a:spcPct val="90000"/></a:lnSpc></a:pPr>')
    fit = '<a:bodyPr><a:normAutofit fontScale="90000" lnSpcReduction="20000"/></a:bodyPr>'
    assert text(shape_of(sp(words, body=fit))).paragraphs[0].line_spacing == 0.7


def test_how_far_a_layout_shrinks_its_prompt_says_nothing() -> None:
    def edit(presentation: Any, slide: Any) -> None:
        body = holder(slide.slide_layout, ("obj", "body")).find("{*}txBody/{*}bodyPr")
        body.append(element('<a:normAutofit fontScale="50000"/>'))

    found = text(shape_of(sp(p(), placeholder=BODY), edit=edit, layout=TITLE_AND_BODY))
    assert (found.autofit, found.scale) == ("shrink", 1.0)


@pytest.mark.parametrize(
    ("own", "kind", "what"),
    [
        ("", "character", "•"),  # the template's body
        ("<a:buNone/>", "none", ""),
        ('<a:buChar char="–"/>', "character", "–"),
        ('<a:buAutoNum type="arabicPeriod" startAt="4"/>', "number", "arabicPeriod 4"),
    ],
)
def test_bullets(own: str, kind: str, what: str) -> None:
    shape = shape_of(sp(p(paragraph=f"<a:pPr>{own}</a:pPr>"), placeholder=BODY), layout=TITLE_AND_BODY)
    bullet = text(shape).paragraphs[0].bullet
    assert bullet.kind == kind
    assert (bullet.character or f"{bullet.scheme} {bullet.start}" if kind != "none" else "") == what


def test_a_bullet_takes_what_it_does_not_say_from_the_list_style() -> None:
    lists = (
        '<a:lstStyle><a:lvl1pPr marL="342900" indent="-342900"><a:buClr><a:srgbClr val="FF0000"/></a:buClr>'
        '<a:buSzPct val="50000"/><a:buFont typeface="Wingdings"/><a:buChar char="§"/></a:lvl1pPr></a:lstStyle>'
    )
    paragraph = text(shape_of(sp(p(paragraph='<a:pPr><a:buChar char="x"/></a:pPr>'), lists=lists))).paragraphs[0]
    bullet = paragraph.bullet
    assert bullet.colour is not None
    assert (bullet.character, bullet.font, bullet.size, bullet.colour.rgb) == ("x", "Wingdings", 0.5, "FF0000")
    assert (paragraph.margin, paragraph.indent) == (342900, -342900)
    again = text(shape_of(sp(p(paragraph="<a:pPr><a:buClrTx/><a:buSzTx/></a:pPr>"), lists=lists))).paragraphs[0].bullet
    assert (again.colour, again.size, again.character) == (None, 1.0, "§")


def test_a_bullet_s_size_in_points_is_a_share_of_the_text_s() -> None:
    own = '<a:pPr><a:buSzPts val="1000"/><a:buChar char="x"/></a:pPr>'
    assert text(shape_of(sp(p(run='<a:rPr sz="2000"/>', paragraph=own)))).paragraphs[0].bullet.size == 0.5


def test_fields_breaks_and_equations() -> None:
    words = (
        '<a:p><a:r><a:t>Page </a:t></a:r><a:fld id="{1}" type="slidenum"><a:rPr/><a:t>‹#›</a:t></a:fld><a:br/>'
        '<a:r><a:t>x</a:t></a:r><mc:AlternateContent><mc:Choice Requires="a14"><a14:m><m:oMath><m:r><m:t>y=2</m:t>'
        "</m:r></m:oMath></a14:m></mc:Choice><mc:Fallback><a:r><a:t>a picture</a:t></a:r></mc:Fallback>"
        "</mc:AlternateContent></a:p>"
    )
    paragraph = text(shape_of(sp(words))).paragraphs[0]
    assert paragraph.text == "Page 1\nxy=2"
    assert [found.kind for found in paragraph.runs] == ["text", "field", "break", "text", "equation"]


def test_a_slide_s_number_starts_where_the_deck_says() -> None:
    def edit(presentation: Any, slide: Any) -> None:
        presentation.part._element.set("firstSlideNum", "41")

    field = '<a:p><a:fld id="{1}" type="slidenum"><a:t>?</a:t></a:fld></a:p>'
    assert text(shape_of(sp(field), edit=edit)).text == "41"


# The text keeps its colour: PowerPoint since 2019, Google Slides.
KEEPS = '<a:extLst><a:ext uri="{A12FA001-AC4F-418D-AE19-62706E023703}"><ahyp:hlinkClr val="tx"/></a:ext></a:extLst>'


@pytest.mark.parametrize(
    ("extension", "fill", "wanted"),
    [
        ("", "", "0000FF"),
        ("", "FF0000", "0000FF"),  # PowerPoint draws a link in the theme's colour whatever its run says
        (KEEPS, "FF0000", "FF0000"),
        (KEEPS, "", "000000"),
    ],
)
def test_the_colour_of_a_link(extension: str, fill: str, wanted: str) -> None:
    def edit(presentation: Any, slide: Any) -> None:
        address = "https://example.org/"
        link = slide.part.relate_to(
            address, "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink", is_external=True
        )
        for found in slide._element.iter("{*}hlinkClick"):
            found.set("{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id", link)

    own = f'<a:solidFill><a:srgbClr val="{fill}"/></a:solidFill>' if fill else ""
    found = run(shape_of(sp(p(run=f"<a:rPr>{own}<a:hlinkClick>{extension}</a:hlinkClick></a:rPr>")), edit=edit))
    assert (found.colour.rgb, found.underline, found.link) == (wanted, "sng", "https://example.org/")


@pytest.mark.parametrize(
    ("attributes", "name", "wanted"),
    [
        ('b="1"', "bold", True), ('b="true"', "bold", True), ('b="0"', "bold", False), ('i="on"', "italic", True),
        ('strike="sngStrike"', "strike", True), ('strike="noStrike"', "strike", False),
        ('u="wavy"', "underline", "wavy"),
        ('cap="all"', "case", "all"), ('baseline="30000"', "baseline", 0.3), ('baseline="-25%"', "baseline", -0.25),
        ('spc="300"', "spacing", 3.0), ('sz="1250"', "size", 12.5), ('sz="99999999"', "size", 4000),
        ('sz="1"', "size", 1),
    ],
)  # fmt: skip
def test_what_a_run_says(attributes: str, name: str, wanted: object) -> None:
    assert getattr(run(shape_of(sp(p(run=f"<a:rPr {attributes}/>")))), name) == wanted


def test_fonts_of_the_theme_by_name() -> None:
    runs = [
        run(shape_of(sp(p(run=f'<a:rPr><a:latin typeface="{typeface}"/></a:rPr>')))).font
        for typeface in ("+mj-lt", "+mn-lt", "Georgia")
    ]
    assert runs == ["Calibri", "Calibri", "Georgia"]


def test_empty_paragraphs_have_the_size_of_what_is_typed_there() -> None:
    words = '<a:p><a:endParaRPr sz="900"/></a:p>'
    assert text(shape_of(sp(words))).paragraphs[0].size == 9


def test_a_text_without_a_fill_can_t_be_seen() -> None:
    assert run(shape_of(sp(p(run="<a:rPr><a:noFill/></a:rPr>")))).colour.alpha == 0


def test_an_empty_fill_says_nothing() -> None:
    """python-pptx leaves it where a colour is only asked for."""
    deck = deck_of(sp(p(run="<a:rPr><a:solidFill/></a:rPr>"), placeholder=TITLE), layout=TITLE_AND_BODY)
    assert run(deck.slides[0].shapes[0]).colour.rgb == "000000"


def test_notes_and_title() -> None:
    slide = slide_of(sp(p("Heading"), placeholder=TITLE), layout=TITLE_AND_BODY)
    assert (slide.title, slide.notes) == ("Heading", "")
