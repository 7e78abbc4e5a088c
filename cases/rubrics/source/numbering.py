"""Lists as they show: the bullet of each line, inherited or not, and the number that an automatic one shows."""

from shared import plain


def lines(slide):
    """(text, level, bullet, shape id) of each line; bullet: ("auto", scheme, start), ("char", which) or None."""
    return [
        (plain(paragraph.text), paragraph.level, bullet_of(paragraph, shape, slide), shape.shape_id)
        for shape in (slide.shapes if slide is not None else ())
        if shape.has_text_frame
        for paragraph in shape.text_frame.paragraphs
        if paragraph.text.strip()
    ]


def bullet_of(paragraph, shape, slide):
    """The bullet that shows: the paragraph's own, else that of its shape, layout or master."""
    level = f"{{*}}lvl{paragraph.level + 1}pPr"
    places = [*paragraph._p.iterfind("{*}pPr"), *shape._element.txBody.iterfind("{*}lstStyle/" + level)]
    if shape.is_placeholder:
        for holder in slide.slide_layout.placeholders:
            if holder.placeholder_format.idx == shape.placeholder_format.idx:
                places += holder._element.txBody.iterfind("{*}lstStyle/" + level)
        places += slide.slide_layout.slide_master._element.iterfind("{*}txStyles/{*}bodyStyle/" + level)
    for element in (element for place in places for element in place):
        kind = str(element.tag).split("}")[-1]
        if kind == "buAutoNum":
            return "auto", element.get("type"), int(element.get("startAt", "1"))
        if kind in ("buChar", "buBlip"):
            return "char", element.get("char", "picture")
        if kind == "buNone":
            return None
    return None


def numbers(found):
    """{line: the number that shows}. Counting goes on across deeper lines; a line without a number ends it."""
    shown, running = {}, {}
    for text, level, bullet, shape in found:
        running = {place: count for place, count in running.items() if place[0] == shape and place[1] <= level}
        if bullet is None or bullet[0] != "auto":
            running.pop((shape, level), None)
            continue
        scheme, last = running.get((shape, level), (None, 0))
        number = last + 1 if scheme == bullet else bullet[2]
        running[(shape, level)] = (bullet, number)
        shown[text] = number
    return shown
