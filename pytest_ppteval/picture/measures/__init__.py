"""Visual checks without a model: measures of a slide's picture, of the text drawn on it, and of its shapes.

For use in a leaf, where python-pptx gives the slide and `modified_ppt_screenshots` the picture:

    from pptx import Presentation
    from pytest_ppteval.picture import measures

    def compute_score():
        slide = Presentation(modified_ppt_path).slides[2]
        shot = measures.of_slide(modified_ppt_screenshots, 3)
        spilled = measures.text_overflows(slide, shot)
        return f"text beyond its shape: {spilled or 'none'}", float(not spilled)

Lengths are in points (1/72 inch) from the slide's left top corner, angles in degrees clockwise, shares from 0 to 1.
Everything is worked out from the file and from what one renderer drew; nothing is asked of a model, and the same deck
gives the same numbers. What needs the drawn text is not to be had from pictures that were kept in a zip: the leaf is
then unscored (ScreenshotsUnavailableError), as it is where a picture can't be drawn.

Needs Pillow and python-pptx alone.
"""

from __future__ import annotations

from pytest_ppteval.picture.measures.boxes import Box, every_shape, shape_box, slide_box
from pytest_ppteval.picture.measures.colour import (
    Colour,
    colours,
    contrast,
    dominant_colour,
    is_kind_of,
    text_contrast,
)
from pytest_ppteval.picture.measures.layout import Clash, OffSlide, Overflow, off_slide, overlaps, text_overflows
from pytest_ppteval.picture.measures.pixels import changed_region, changed_share, same_except
from pytest_ppteval.picture.measures.placed import Crop, picture_crop, picture_rotation
from pytest_ppteval.picture.measures.text import DrawnText, drawn_text, of_slide, text_of_shape

__all__ = [
    "Box",
    "Clash",
    "Colour",
    "Crop",
    "DrawnText",
    "OffSlide",
    "Overflow",
    "changed_region",
    "changed_share",
    "colours",
    "contrast",
    "dominant_colour",
    "drawn_text",
    "every_shape",
    "is_kind_of",
    "of_slide",
    "off_slide",
    "overlaps",
    "picture_crop",
    "picture_rotation",
    "same_except",
    "shape_box",
    "slide_box",
    "text_contrast",
    "text_of_shape",
    "text_overflows",
]
