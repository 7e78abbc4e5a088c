"""Where shapes stand on a slide: turned, in groups, mirrored; and how pictures are placed."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from PIL import Image
from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE
from pptx.util import Emu, Pt

from pytest_ppteval.picture import measures
from pytest_ppteval.picture.measures import Box


@pytest.fixture
def slide() -> Any:
    deck = Presentation()
    return deck.slides.add_slide(deck.slide_layouts[6])


def rectangle(shapes: Any, left: float, top: float, width: float, height: float) -> Any:
    return shapes.add_shape(MSO_SHAPE.RECTANGLE, Pt(left), Pt(top), Pt(width), Pt(height))


def close(box: Box | None, *expected: float) -> bool:
    assert box is not None
    return all(abs(a - b) < 0.01 for a, b in zip(box, expected, strict=True))


def test_a_shape_that_is_not_turned_stands_where_the_file_says(slide: Any) -> None:
    assert close(measures.shape_box(rectangle(slide.shapes, 10, 20, 100, 50)), 10, 20, 110, 70)
    assert measures.slide_box(slide) == (0, 0, 720, 540)


def test_a_shape_turned_by_90_degrees_stands_upright_around_the_same_middle(slide: Any) -> None:
    shape = rectangle(slide.shapes, 10, 20, 100, 50)
    shape.rotation = 90
    assert close(measures.shape_box(shape), 35, -5, 85, 95)
    assert measures.picture_rotation(shape) == 90


def test_a_group_scales_moves_and_turns_what_it_holds(slide: Any) -> None:
    group = slide.shapes.add_group_shape()
    inner = rectangle(group.shapes, 0, 0, 100, 100)
    rectangle(group.shapes, 100, 0, 100, 100)
    # Twice as large, its left top corner at (50, 60).
    group.left, group.top, group.width, group.height = Pt(50), Pt(60), Pt(400), Pt(200)
    assert close(measures.shape_box(inner), 50, 60, 250, 260)
    group.rotation = 180
    assert close(measures.shape_box(inner), 250, 60, 450, 260)
    assert measures.picture_rotation(inner) == 180
    place = group._element.grpSpPr.find("{*}xfrm")
    place.set("flipH", "1")  # mirrored left to right, then turned around: it is at the left again, at the other height
    assert close(measures.shape_box(inner), 50, 60, 250, 260)
    inner.rotation = 30
    assert measures.picture_rotation(inner) == 150
    assert [shape.shape_id for shape in measures.every_shape(slide.shapes)] == [s.shape_id for s in group.shapes]


def test_crop_and_rotation_of_a_picture(slide: Any) -> None:
    stream = BytesIO()
    Image.new("RGB", (40, 20)).save(stream, "PNG")
    picture = slide.shapes.add_picture(stream, 0, 0)
    assert not measures.picture_crop(picture)
    assert measures.picture_crop(picture).shown == 1
    assert measures.picture_rotation(picture) == 0
    picture.crop_left, picture.crop_bottom = 0.25, 0.5
    picture.rotation = 350.5
    assert measures.picture_crop(picture) == (0.25, 0, 0, 0.5)
    assert measures.picture_crop(picture).shown == pytest.approx(0.375)
    assert measures.picture_rotation(picture) == 350.5


def test_boxes_overlap_grow_and_go_beyond_each_other() -> None:
    one = Box(0, 0, 10, 10)
    assert one.overlap(Box(5, 6, 20, 20)) == (5, 6, 10, 10)
    assert one.overlap(Box(10, 0, 20, 20)) is None
    assert one.grown(2) == (-2, -2, 12, 12)
    assert Box(-1, 2, 13, 9).beyond(one) == {"left": 1, "right": 3}
    assert Box.around([one, Box(20, -5, 30, 5)]) == (0, -5, 30, 10)
    assert (one.width, one.height, one.area) == (10, 10, 100)


def test_a_shape_without_a_place_has_no_box(slide: Any) -> None:
    shape = rectangle(slide.shapes, 1, 1, 1, 1)
    shape._element.spPr.remove(shape._element.spPr.find("{*}xfrm"))
    assert measures.shape_box(shape) is None
    assert Emu(12700).pt == 1
