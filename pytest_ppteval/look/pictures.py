"""Pictures as drawn: which image, which part of it, how far it is stretched."""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING

from pytest_ppteval.deck.xmlnames import A, R, attributes, local_name
from pytest_ppteval.look.model import Picture
from pytest_ppteval.look.values import share

if TYPE_CHECKING:
    from lxml import etree
    from pptx.opc.package import Part

    from pytest_ppteval.look.model import Box
    from pytest_ppteval.look.paint import Paint

_EFFECTS = (
    "grayscl",
    "duotone",
    "lum",
    "biLevel",
    "clrChange",
    "clrRepl",
    "hsl",
    "tint",
    "alphaInv",
    "blur",
    "fillOverlay",
)
_LAYERS = "{http://schemas.microsoft.com/office/drawing/2010/main}imgEffect"


def read_picture(fill: etree._Element, part: Part, paint: Paint, box: Box | None) -> Picture:
    """The picture that a p:blipFill draws in `box`."""
    blip = fill.find(A + "blip")
    relation_id = (blip.get(R + "embed") or blip.get(R + "link") or "") if blip is not None else ""
    relation = part.rels.get(relation_id)
    linked = relation is not None and relation.is_external
    pixels = _pixels(relation.target_part.blob) if relation is not None and not linked else None
    crop_of = fill.find(A + "srcRect")
    crop = tuple(share(crop_of.get(side) if crop_of is not None else None, 0.0) for side in ("l", "t", "r", "b"))
    left, top, right, bottom = crop
    return Picture(
        image=paint.image(relation_id),
        format=str(relation.target_part.content_type).rpartition("/")[2] if relation is not None and not linked else "",
        crop=(left, top, right, bottom),
        pixels=pixels,
        stretch=_stretch(fill, pixels, (left, top, right, bottom), box),
        recolour=tuple(_recolour(blip)) if blip is not None else (),
        alpha=_alpha(blip),
        linked=linked,
    )


def _stretch(
    fill: etree._Element, pixels: tuple[int, int] | None, crop: tuple[float, float, float, float], box: Box | None
) -> float | None:
    """How much wider the image is drawn than it is, against its height."""
    if pixels is None or box is None or fill.find(A + "tile") is not None or not box.height or not box.width:
        return None
    wide, high = pixels[0] * (1 - crop[0] - crop[2]), pixels[1] * (1 - crop[1] - crop[3])
    rectangle = fill.find(f"{A}stretch/{A}fillRect")
    inner = [share(rectangle.get(side) if rectangle is not None else None, 0.0) for side in ("l", "t", "r", "b")]
    drawn_wide, drawn_high = box.width * (1 - inner[0] - inner[2]), box.height * (1 - inner[1] - inner[3])
    if wide <= 0 or high <= 0 or drawn_wide <= 0 or drawn_high <= 0:
        return None
    return round((drawn_wide / drawn_high) / (wide / high), 4)


def _recolour(blip: etree._Element) -> list[str]:
    names = [local_name(child) for child in blip.iterchildren("{*}*") if local_name(child) in _EFFECTS]
    for effect in blip.iter(_LAYERS):
        names.extend(
            " ".join([local_name(child), *(f"{name}={value}" for name, value in attributes(child))])
            for child in effect.iterchildren("{*}*")
        )
    return names


def _alpha(blip: etree._Element | None) -> float:
    fixed = blip.find(A + "alphaModFix") if blip is not None else None
    return share(fixed.get("amt"), 1.0) if fixed is not None else 1.0


@lru_cache(512)
def _pixels(blob: bytes) -> tuple[int, int] | None:
    """Width and height of an image file, None where Pillow can't say."""
    from PIL import Image

    try:
        with Image.open(BytesIO(blob)) as image:
            return (image.width, image.height) if image.width and image.height else None
    except Exception:  # Pillow raises what its readers happen to raise
        return None
