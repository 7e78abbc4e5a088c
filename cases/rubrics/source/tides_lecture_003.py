"""The tilted picture is straight and loses its black strip."""

import hashlib
import io

from leaf_globals import modified_ppt_path, original_ppt_path
from looks import middle, overlap, placed
from PIL import Image, ImageChops, ImageStat
from rubric_kit import group, leaf
from shared import deck, extraneous, plain, slide_after, verdict

SLIDE = 3
STRIP = 0.125  # of the picture file's height, at its bottom


def straight():
    """The low-water picture is not rotated."""
    picture, why = low_picture()
    if picture is None:
        return why, 0.0
    tilt = (picture.rotation + 180) % 360 - 180
    return ("it is straight", 1.0) if abs(tilt) <= 0.5 else (f"it is rotated by {tilt:g} degrees", 0.0)


def strip_gone():
    """Nothing of the black strip shows, since it is cropped off, not covered."""
    picture, why = low_picture()
    if picture is None:
        return why, 0.0
    image = visible(picture)
    foot = image.crop((0, round(0.96 * image.height), *image.size))
    dark = sum(count for count, pixel in foot.getcolors(foot.width * foot.height) if max(pixel) < 45)
    share = dark / (foot.width * foot.height)
    return ("the strip does not show", 1.0) if share < 0.1 else (f"the foot of the picture is {share:.0%} black", 0.0)


def rest_shows():
    """The picture above the strip shows whole: no more than a little was cropped off elsewhere."""
    picture, why = low_picture()
    if picture is None:
        return why, 0.0
    whole = file_image(original_picture("low"))
    wanted = whole.crop((0, 0, whole.width, round(whole.height * (1 - STRIP))))
    # By pixels, since one may also crop the file itself.
    now, wanted = (image.resize((96, 67)) for image in (visible(picture), wanted))
    above = (0, 0, 96, 60)  # whether the strip shows is another leaf's business
    change = max(ImageStat.Stat(ImageChops.difference(now, wanted).crop(above)).mean)
    if change < LIMIT:
        return f"the picture shows whole, mean difference {change:.0f}", 1.0
    return f"the picture does not show what it showed: mean difference {change:.0f} of 255", 0.0


# What differs when a tenth of the strip is left, or a thirtieth of the picture gone with it, stays below.
LIMIT = 16


def not_stretched():
    """The picture has the proportions that it had."""
    picture, why = low_picture()
    if picture is None:
        return why, 0.0
    image = visible(picture)
    ratio = (picture.width / picture.height) / (image.width / image.height)
    if abs(ratio - 1) <= 0.03:
        return "its proportions are right", 1.0
    return f"it is {abs(ratio - 1):.0%} too {'wide' if ratio > 1 else 'high'} for what it shows", 0.0


def original_picture(which):
    """The picture 'high' or 'low' of the original deck."""
    pictures = [s for s in deck(original_ppt_path).slides[SLIDE - 1].shapes if s._element.tag.endswith("}pic")]
    return min(pictures, key=lambda s: s.left) if which == "high" else max(pictures, key=lambda s: s.left)


def low_picture():
    """(the picture that is not the high-water one, None), or (None, why not)."""
    pictures = [s for s, _ in placed(slide_after(SLIDE)) if s._element.tag.endswith("}pic")]
    high = mark(original_picture("high"))
    found = [picture for picture in pictures if mark(picture) != high]
    if len(found) != 1:
        return None, f"{len(found)} pictures beside the high-water one on slide {SLIDE}"
    return found[0], None


def mark(picture):
    return hashlib.sha256(picture.image.blob).hexdigest()


def file_image(picture):
    return Image.open(io.BytesIO(picture.image.blob)).convert("RGB")


def visible(picture):
    """What the picture shows of its file."""
    image = file_image(picture)
    left, right = picture.crop_left, 1 - picture.crop_right
    top, bottom = picture.crop_top, 1 - picture.crop_bottom
    wide, high = image.size
    return image.crop((round(left * wide), round(top * high), round(right * wide), round(bottom * high)))


def in_its_place():
    """The picture is where it was, about as large, on the slide, and covers nothing."""
    picture, why = low_picture()
    if picture is None:
        return why, 0.0
    boxes = placed(slide_after(SLIDE))
    [box] = [box for shape, box in boxes if shape._element is picture._element]
    before = original_picture("low")
    (x, y), wide = middle(box), before.width / 914400
    old_x, old_y = (before.left + before.width / 2) / 914400, (before.top + before.height / 2) / 914400
    wrong = []
    if abs(x - old_x) > 0.6 or abs(y - old_y) > 0.6:
        wrong.append(f"its middle moved by {abs(x - old_x):.1f} and {abs(y - old_y):.1f} inches")
    if abs((box[2] - box[0]) / wide - 1) > 0.2:
        wrong.append(f"it is {box[2] - box[0]:.2f} inches wide instead of {wide:.2f}")
    if box[0] < -0.01 or box[2] > deck(modified_ppt_path).slide_width / 914400 + 0.01:
        wrong.append("it runs off the slide")
    for shape, other in boxes:
        name = plain(shape.text_frame.text) if shape.has_text_frame else "a picture"
        if shape._element is not picture._element and name and overlap(box, other) > 0.1:
            wrong.append(f"it covers {name[:30]!r}")
    return verdict(wrong, "it is where it was and covers nothing")


def description_kept():
    """Both pictures have their descriptions still."""
    found = [s._element.xpath(".//p:cNvPr/@descr") for s, _ in placed(slide_after(SLIDE))]
    texts = [plain(text) for texts in found for text in texts]
    wanted = [original_picture(which)._element.xpath(".//p:cNvPr/@descr")[0] for which in ("high", "low")]
    return verdict([f"no description {text!r}" for text in wanted if text not in texts], "both are described")


def nothing_else():
    """The other picture, the texts and all other slides are as they were."""
    return verdict(extraneous({SLIDE: is_low_picture}), "nothing else has changed")


def is_low_picture(key):
    """Any picture but the high-water one: a cropped file is a new picture."""
    return key[0] == "picture" and key[1] != mark(original_picture("high"))


NAME = "The low-water picture"
DESCRIPTION = "It hangs straight, without the black strip, and else as it was."
TREE = [
    group(
        "Picture put right",
        "Straight and cropped.",
        leaf(straight, "It is straight", critical=True),
        leaf(strip_gone, "The strip is gone", critical=True),
        leaf(rest_shows, "The rest of it shows", critical=True),
        leaf(not_stretched, "It is not stretched", critical=True),
        critical=True,
    ),
    group(
        "Rest intact",
        "Place, descriptions and all other things stay.",
        leaf(in_its_place, "In its place"),
        leaf(description_kept, "Descriptions kept"),
        leaf(nothing_else, "Nothing else changed"),
    ),
]
