"""Each edit of a slide yields exactly the diff one expects, and nothing else."""

from __future__ import annotations

import copy
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from deck_edits import counts, deck_bytes, diff_after, diff_bytes, drop_slide, edited, move_slide, only_modified, root
from PIL import Image
from pptx.chart.data import CategoryChartData as _CategoryChartData
from pptx.dml.color import RGBColor as _RGBColor
from pptx.enum.shapes import MSO_SHAPE
from pptx.util import Emu, Inches, Pt

from pytest_ppteval.deck.model import Slide

if TYPE_CHECKING:
    from collections.abc import Callable

    from pptx.presentation import Presentation

    Edit = Callable[[Presentation], object]

# python-pptx has no types for these two.
RGBColor: Any = _RGBColor
CategoryChartData: Any = _CategoryChartData


def shape(deck: Presentation, slide: int, name: str) -> Any:
    """A shape by the place of its slide (from 0) and its name. Any: python-pptx has one class for each kind."""
    return next(found for found in deck.slides[slide].shapes if found.name == name)


def picture_file(colour: str) -> BytesIO:
    stream = BytesIO()
    Image.new("RGB", (8, 8), colour).save(stream, "PNG")
    stream.seek(0)
    return stream


# ---- content: one slide modified, nothing else ----------------------------------------------------------------------


def set_text(deck: Presentation) -> None:
    shape(deck, 0, "TextBox 1").text_frame.paragraphs[0].runs[0].text = "Another heading"


def split_run(deck: Presentation) -> None:
    run = shape(deck, 0, "TextBox 1").text_frame.paragraphs[0].runs[0]
    other = copy.deepcopy(run._r)
    run._r.addnext(other)
    text = run.text
    run.text, other.text = text[:3], text[3:]


def make_bold(deck: Presentation) -> None:
    shape(deck, 0, "TextBox 1").text_frame.paragraphs[0].runs[0].font.bold = None
    shape(deck, 0, "TextBox 1").text_frame.paragraphs[0].runs[0].font.size = Pt(31)


def fill_red(deck: Presentation) -> None:
    shape(deck, 0, "TextBox 2").fill.solid()
    shape(deck, 0, "TextBox 2").fill.fore_color.rgb = RGBColor(0xFE, 0, 0)


def move_shape(deck: Presentation) -> None:
    shape(deck, 0, "Picture 1").left += Inches(1)


def resize_shape(deck: Presentation) -> None:
    shape(deck, 0, "Picture 1").width += Inches(1)


def add_shape(deck: Presentation) -> None:
    deck.slides[0].shapes.add_shape(MSO_SHAPE.OVAL, Emu(0), Emu(0), Inches(1), Inches(1))


def add_textbox(deck: Presentation) -> None:
    deck.slides[0].shapes.add_textbox(Emu(0), Emu(0), Inches(1), Inches(1)).text_frame.text = "New"


def remove_shape(deck: Presentation) -> None:
    element = shape(deck, 0, "Picture 1")._element
    element.getparent().remove(element)


def duplicate_shape(deck: Presentation) -> None:
    element = shape(deck, 0, "TextBox 2")._element
    twin = copy.deepcopy(element)
    twin.nvSpPr.cNvPr.set("id", "40")
    element.addnext(twin)


def add_picture(deck: Presentation) -> None:
    deck.slides[0].shapes.add_picture(picture_file("blue"), Emu(0), Emu(0))


def edit_cell(deck: Presentation) -> None:
    shape(deck, 0, "Table 1").table.cell(1, 1).text_frame.paragraphs[0].runs[0].text = "4711"


def restack(deck: Presentation) -> None:
    """The picture goes below the text box: an order of two KINDS of shapes, which an XML-to-dict comparison loses."""
    picture, box = shape(deck, 0, "Picture 1")._element, shape(deck, 0, "TextBox 1")._element
    box.addprevious(picture)


def set_background(deck: Presentation) -> None:
    deck.slides[0].background.fill.solid()
    deck.slides[0].background.fill.fore_color.rgb = RGBColor(1, 2, 3)


def add_chart(deck: Presentation) -> None:
    from pptx.enum.chart import XL_CHART_TYPE

    data = CategoryChartData()
    data.categories = ["a", "b"]
    data.add_series("s", (1, 2))
    deck.slides[0].shapes.add_chart(XL_CHART_TYPE.PIE, Emu(0), Emu(0), Inches(2), Inches(2), data)


@pytest.mark.parametrize(
    "edit",
    [
        set_text,
        split_run,
        make_bold,
        fill_red,
        move_shape,
        resize_shape,
        add_shape,
        add_textbox,
        remove_shape,
        duplicate_shape,
        add_picture,
        edit_cell,
        restack,
        set_background,
        add_chart,
    ],
)
def test_an_edit_of_a_slide_is_one_modified_slide(edit: Edit) -> None:
    diff = diff_after("dense", edit)
    assert only_modified(diff) == {"256": ["content"]}
    before, after = diff.modified_slides[0]
    assert (before.slide_number, after.slide_number) == (1, 1)
    assert before.content_hash != after.content_hash


@pytest.mark.parametrize(
    ("edit", "more"), [(add_shape, 1), (add_textbox, 1), (duplicate_shape, 1), (add_picture, 0), (add_chart, 0)]
)
def test_element_count_counts_text_shapes_only(edit: Edit, more: int) -> None:
    before, after = diff_after("dense", edit).modified_slides[0]
    assert before.element_count == 3
    assert after.element_count == 3 + more


# ---- what a slide shows, though its XML is the same -----------------------------------------------------------------


def replace_picture(deck: Presentation) -> None:
    """Other bytes in the same part, under the same relationship."""
    picture = shape(deck, 0, "Picture 1")
    part = picture.part.related_part(picture._element.blip_rId)
    part._blob = picture_file("green").getvalue()


def replace_chart_data(deck: Presentation) -> None:
    chart = shape(deck, 0, "Chart 1").chart
    data = CategoryChartData()
    data.categories = list(chart.plots[0].categories)
    for series in chart.plots[0].series:
        data.add_series(series.name, [value + 1 for value in series.values])
    chart.replace_data(data)


def change_one_cached_value(deck: Presentation) -> None:
    chart = shape(deck, 0, "Chart 1").chart
    value = next(chart._chartSpace.iter("{http://schemas.openxmlformats.org/drawingml/2006/chart}val"))
    next(value.iter("{http://schemas.openxmlformats.org/drawingml/2006/chart}v")).text = "99"


@pytest.mark.parametrize("edit", [replace_picture, replace_chart_data, change_one_cached_value])
def test_a_related_part_replaced_is_a_modified_slide(edit: Edit) -> None:
    assert only_modified(diff_after("dense", edit)) == {"256": ["related"]}


def test_a_workbook_zipped_anew_is_no_difference_but_another_cell_is() -> None:
    import zipfile

    def rewrite(change: bytes) -> Edit:
        def edit(deck: Presentation) -> None:
            workbook = shape(deck, 0, "Chart 1").chart.part.chart_workbook.xlsx_part
            with zipfile.ZipFile(BytesIO(workbook.blob)) as archive:
                members = [(info.filename, archive.read(info)) for info in archive.infolist()]
            stream = BytesIO()
            with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
                for name, content in reversed(members):
                    if "sheet1.xml" in name:
                        assert b"<v>" in content or b":v>" in content
                        content = content.replace(b"v>", change + b"v>") if change else content
                    archive.writestr(name, content)
            assert stream.getvalue() != workbook.blob
            workbook._blob = stream.getvalue()

        return edit

    assert diff_after("dense", rewrite(b"")).is_empty
    assert only_modified(diff_after("dense", rewrite(b"x"))) == {"256": ["related"]}


# ---- notes, layout, hidden ------------------------------------------------------------------------------------------


def test_notes_added() -> None:
    def edit(deck: Presentation) -> None:
        notes = deck.slides[1].notes_slide.notes_text_frame
        assert notes is not None
        notes.text = "Say hello"

    diff = diff_after("comments", edit)
    assert only_modified(diff) == {"257": ["notes"]}
    before, after = diff.modified_slides[0]
    assert (before.notes, after.notes) == (None, "Say hello")
    assert before.content_hash == after.content_hash


def test_notes_join_the_runs_that_have_text_with_a_space() -> None:
    def note(deck: Presentation) -> None:
        notes = deck.slides[1].notes_slide.notes_text_frame
        assert notes is not None
        for text in ("Say", "", "hello"):
            notes.paragraphs[0].add_run().text = text

    ((_, after),) = diff_after("comments", note).modified_slides
    assert after.notes == "Say hello"


def test_notes_cut_into_other_runs_are_the_same_notes() -> None:
    def write(*runs: str) -> Edit:
        def edit(deck: Presentation) -> None:
            frame = deck.slides[0].notes_slide.notes_text_frame
            assert frame is not None
            for text in runs:
                frame.paragraphs[0].add_run().text = text

        return edit

    one, two = (
        edited(deck_bytes("comments"), write("Say hello")),
        edited(deck_bytes("comments"), write("Say ", "hello")),
    )
    assert "notes" not in str(diff_bytes(one, two).slide_changes)
    assert diff_bytes(one, two).modified_slides == []


def test_an_empty_notes_page_is_no_note() -> None:
    """Reading `slide.notes_slide` makes one, so that a program that only looked leaves it behind."""
    assert diff_after("comments", lambda deck: deck.slides[0].notes_slide).is_empty


def test_a_new_notes_page_may_take_a_relationship_id_that_led_nowhere() -> None:
    """python-pptx takes the next free number, which a leftover in the slide's XML may name."""

    def dangle(deck: Presentation) -> None:
        link: Any = shape(deck, 0, "Title 1").text_frame.paragraphs[0].runs[0]
        link.hyperlink.address = "https://example.org/"
        relation_id = link._r.rPr.hlinkClick.rId
        deck.slides[0].part.rels.pop(relation_id)

    def note(deck: Presentation) -> None:
        frame = deck.slides[0].notes_slide.notes_text_frame
        assert frame is not None
        frame.text = "Say hello"
        relations = deck.slides[0].part.rels
        assert any(
            f'"{rid}"'.encode() in deck.slides[0].part.blob for rid, r in relations.items() if "notes" in r.reltype
        )

    data = edited(deck_bytes("comments"), dangle)
    assert only_modified(diff_bytes(data, edited(data, note))) == {"256": ["notes"]}


def test_another_layout() -> None:
    def edit(deck: Presentation) -> None:
        part = deck.slides[2].part
        relation = next(rel for rel in part.rels.values() if rel.reltype.endswith("/slideLayout"))
        relation._target = next(layout for layout in deck.slide_layouts if layout.name == "Title Only").part

    diff = diff_after("comments", edit)
    assert only_modified(diff) == {"258": ["layout"]}
    before, after = diff.modified_slides[0]
    assert (before.layout_type, after.layout_type) == ("Title and Content", "Title Only")


def test_hidden_and_shown() -> None:
    hidden = edited(deck_bytes("comments"), lambda deck: root(deck.slides[1]).set("show", "0"))
    diff = diff_bytes(deck_bytes("comments"), hidden)
    assert only_modified(diff) == {"257": ["hidden"]}
    assert [(before.hidden, after.hidden) for before, after in diff.modified_slides] == [(False, True)]
    assert only_modified(diff_bytes(hidden, deck_bytes("comments"))) == {"257": ["hidden"]}


def test_several_changes_of_one_slide_are_one_entry() -> None:
    def edit(deck: Presentation) -> None:
        slide = deck.slides[0]
        slide.shapes[0].text_frame.text = "New title"
        frame = slide.notes_slide.notes_text_frame
        assert frame is not None
        frame.text = "Note"
        root(slide).set("show", "0")

    assert only_modified(diff_after("comments", edit)) == {"256": ["content", "hidden", "notes"]}


# ---- slides added, removed, moved -----------------------------------------------------------------------------------


def test_slide_added_in_the_middle_changes_no_other() -> None:
    def edit(deck: Presentation) -> None:
        layout = next(layout for layout in deck.slide_layouts if layout.name == "Title and Content")
        slide = deck.slides.add_slide(layout)
        assert slide.shapes.title is not None
        slide.shapes.title.text = "Brand\tnew   slide "
        move_slide(deck, 3, 1)

    diff = diff_after("comments", edit)
    assert counts(diff) == {"added_slides": 1}
    added = diff.added_slides[0]
    assert added.content_hash is not None
    assert len(added.content_hash) == 64
    assert added == Slide("259", 2, "Brand new slide", "Title and Content", 2, None, added.content_hash)


def test_slide_removed_changes_no_other() -> None:
    diff = diff_after("languages", lambda deck: drop_slide(deck, 2))
    assert counts(diff) == {"removed_slides": 1}
    assert (diff.removed_slides[0].slide_id, diff.removed_slides[0].slide_number) == ("258", 3)


def test_slide_moved_is_the_one_that_moved() -> None:
    """From first to fourth: three others shift, and they are no change."""
    diff = diff_after("languages", lambda deck: move_slide(deck, 0, 3))
    assert counts(diff) == {"moved_slides": 1}
    before, after = diff.moved_slides[0]
    assert (before.slide_id, before.slide_number, after.slide_number) == ("256", 1, 4)


def test_order_reversed_moves_all_but_one() -> None:
    def edit(deck: Presentation) -> None:
        for index in range(6):
            move_slide(deck, 5, index)

    assert counts(diff_after("languages", edit)) == {"moved_slides": 5}


def test_a_slide_removed_and_another_moved() -> None:
    def edit(deck: Presentation) -> None:
        drop_slide(deck, 0)
        move_slide(deck, 4, 0)

    diff = diff_after("languages", edit)
    assert counts(diff) == {"removed_slides": 1, "moved_slides": 1}
    assert diff.removed_slides[0].slide_id == "256"
    assert diff.moved_slides[0][1].slide_id == "261"


def test_a_duplicate_is_an_added_slide() -> None:
    def edit(deck: Presentation) -> None:
        original = deck.slides[1]
        twin = deck.slides.add_slide(original.slide_layout)
        tree: Any = twin.shapes._spTree
        for element in list(tree)[2:]:
            tree.remove(element)
        for element in list(original.shapes._spTree)[2:]:
            tree.append(copy.deepcopy(element))
        move_slide(deck, 3, 2)

    diff = diff_after("comments", edit)
    assert counts(diff) == {"added_slides": 1}
    assert (diff.added_slides[0].slide_number, diff.added_slides[0].title) == (3, "Start")


def test_moved_and_edited_is_in_both_lists() -> None:
    def edit(deck: Presentation) -> None:
        shape(deck, 0, "Title 1").text_frame.text = "Moved"
        move_slide(deck, 0, 2)

    diff = diff_after("comments", edit)
    assert counts(diff) == {"modified_slides": 1, "moved_slides": 1}
    assert diff.modified_slides == diff.moved_slides


def test_computed_numbers_and_dates_may_change() -> None:
    """PowerPoint writes a slide's new number into its fields when slides shift; nobody changed that slide."""

    def with_field(kind: str, text: str) -> Edit:
        def edit(deck: Presentation) -> None:
            from lxml import etree

            a = "http://schemas.openxmlformats.org/drawingml/2006/main"
            paragraph: Any = shape(deck, 0, "Title 1").text_frame.paragraphs[0]._p
            field = etree.SubElement(paragraph, f"{{{a}}}fld", id="{00000000-1111-2222-3333-444444444444}", type=kind)
            etree.SubElement(field, f"{{{a}}}t").text = text

        return edit

    def two(kind: str, one: str, other: str) -> tuple[bytes, bytes]:
        data = deck_bytes("comments")
        return edited(data, with_field(kind, one)), edited(data, with_field(kind, other))

    assert diff_bytes(*two("slidenum", "1", "2")).is_empty
    assert diff_bytes(*two("datetime1", "1/1/2025", "2/2/2026")).is_empty
    assert only_modified(diff_bytes(*two("footer", "a", "b"))) == {"256": ["content"]}


# ---- outside of the slides ------------------------------------------------------------------------------------------


def changed(name: str, edit: Edit) -> list[tuple[str, str, str]]:
    diff = diff_after(name, edit)
    assert set(counts(diff)) <= {"changed_parts"}
    assert diff.is_empty == (not diff.changed_parts)
    return [(part.kind, part.name, part.change) for part in diff.changed_parts]


def test_a_master_changed() -> None:
    def edit(deck: Presentation) -> None:
        deck.slide_master.shapes[0].left = Emu(0)

    assert changed("comments", edit) == [("master", "Office Theme", "modified")]


def test_a_theme_changed_is_its_masters_change() -> None:
    def edit(deck: Presentation) -> None:
        theme: Any = next(rel.target_part for rel in deck.slide_master.part.rels.values() if "/theme" in rel.reltype)
        assert b"accent1" in theme.blob
        theme._blob = theme.blob.replace(b"<a:accent1><a:srgbClr val=", b'<a:accent1><a:srgbClr val="0A0B0C" x=')

    assert changed("comments", edit) == [("master", "Office Theme", "modified")]


def test_a_layout_changed_removed_renamed() -> None:
    def change(deck: Presentation) -> None:
        deck.slide_layouts[5].shapes[0].left = Emu(0)

    def rename(deck: Presentation) -> None:
        content: Any = deck.slide_layouts[5].element
        content.cSld.set("name", "Another name")

    assert changed("comments", change) == [("layout", "Title Only", "modified")]
    assert changed("comments", lambda deck: deck.slide_layouts.remove(deck.slide_layouts[5])) == [
        ("layout", "Title Only", "removed")
    ]
    assert changed("comments", rename) == [("layout", "Another name", "modified")]


def test_slide_size_changed() -> None:
    def edit(deck: Presentation) -> None:
        deck.slide_width = Emu(1_000_000)

    assert changed("comments", edit) == [("slide size", "slide size", "modified")]


def test_comments_changed() -> None:
    def edit(deck: Presentation) -> None:
        part: Any = next(
            rel.target_part for rel in deck.slides[0].part.rels.values() if rel.reltype.endswith("/comments")
        )
        assert b"text>" in part.blob
        part._blob = part.blob.replace(b"text>", b"text>!", 1)

    def remove(deck: Presentation) -> None:
        part = deck.slides[0].part
        part.rels.pop(next(rid for rid, rel in part.rels.items() if rel.reltype.endswith("/comments")))

    assert changed("comments", edit) == [("comments", "slide 1", "modified")]
    assert changed("comments", remove) == [("comments", "slide 1", "removed")]


def test_sections_changed() -> None:
    def sections(*parts: tuple[str, list[int]]) -> Edit:
        def edit(deck: Presentation) -> None:
            from lxml import etree

            p14 = "http://schemas.microsoft.com/office/powerpoint/2010/main"
            p = "http://schemas.openxmlformats.org/presentationml/2006/main"
            top: Any = deck.part._element
            found = top.find(f"{{{p}}}extLst")
            holder = found if found is not None else etree.SubElement(top, f"{{{p}}}extLst")
            for old in holder.findall(f"{{{p}}}ext"):
                if old.find(f"{{{p14}}}sectionLst") is not None:
                    holder.remove(old)
            ext = etree.SubElement(holder, f"{{{p}}}ext", uri="{521415D9-36F7-43E2-AB2F-B90AF26B5E84}")
            listed = etree.SubElement(ext, f"{{{p14}}}sectionLst")
            for name, ids in parts:
                section = etree.SubElement(listed, f"{{{p14}}}section", name=name, id="{0}")
                slides = etree.SubElement(section, f"{{{p14}}}sldIdLst")
                for slide_id in ids:
                    etree.SubElement(slides, f"{{{p14}}}sldId", id=str(slide_id))

        return edit

    data = edited(deck_bytes("comments"), sections(("Start", [256]), ("Rest", [257, 258])))

    def against(edit: Edit) -> list[tuple[str, str, str]]:
        return [(c.kind, c.name, c.change) for c in diff_bytes(data, edited(data, edit)).changed_parts]

    assert against(sections(("Start", [256]), ("Rest", [258, 257]))) == []
    assert against(sections(("Start", [256, 257]), ("Rest", [258]))) == [("sections", "Start, Rest", "modified")]
    assert against(sections(("Start", [256]), ("End", [257, 258]))) == [("sections", "Start, End", "modified")]
    assert [(c.kind, c.change) for c in diff_bytes(deck_bytes("comments"), data).changed_parts] == [
        ("sections", "added")
    ]
    # A section's list loses the id of a slide that was deleted: the slide says it all.
    shorter = edited(edited(data, lambda deck: drop_slide(deck, 2)), sections(("Start", [256]), ("Rest", [257])))
    assert counts(diff_bytes(data, shorter)) == {"removed_slides": 1}


# ---- titles ---------------------------------------------------------------------------------------------------------


def test_title_rules() -> None:
    """The first title placeholder, even when it is empty; else the first shape named so; runs joined as they are."""

    def title_after(name: str, edit: Edit) -> str | None:
        return diff_after(name, edit).modified_slides[0][1].title

    def two_runs(deck: Presentation) -> None:
        frame = shape(deck, 0, "Title 1").text_frame
        frame.text = "Quarter"
        frame.paragraphs[0].add_run().text = "ly \t report"

    def emptied(deck: Presentation) -> None:
        shape(deck, 0, "Title 1").text_frame.text = "  "

    def named(deck: Presentation) -> None:
        shape(deck, 0, "TextBox 2").text_frame.text = "From the box"
        shape(deck, 0, "TextBox 2").name = "My TITLE box"

    assert title_after("comments", two_runs) == "Quarterly report"
    assert title_after("comments", emptied) is None
    assert title_after("dense", named) == "From the box"
