"""The words 'live departure board' become a link."""

from rubric_kit import group, leaf
from shared import all_shapes, extraneous, may_not_change, slide_after, verdict

SLIDE, WORDS = 17, "live departure board"
ADDRESS = "https://departures.kestrelsound.example/today"


def words_linked():
    """Every character of 'live departure board' carries a link."""
    addresses = behind(WORDS)
    if addresses is None:
        return f"the words {WORDS!r} are not on slide {SLIDE} any more", 0.0
    linked = sum(address is not None for address in addresses)
    if linked == len(addresses):
        return "the words are linked", 1.0
    return f"{linked} of {len(addresses)} characters of {WORDS!r} are linked", linked / len(addresses)


def address_right():
    """The link leads to https://departures.kestrelsound.example/today."""
    found = sorted({address for address in behind(WORDS) or [] if address})
    if not found:
        return f"the words {WORDS!r} carry no link", 0.0
    if [address.strip().rstrip("/").lower() for address in found] == [ADDRESS]:
        return f"the link leads to {found[0]}", 1.0
    return f"the link leads to {', '.join(found)}, wanted {ADDRESS}", 0.0


def behind(words):
    """The addresses behind `words`, one a character; None where the words aren't on the slide."""
    for text, addresses in linked_texts():
        at = text.lower().find(words.lower())
        if at >= 0:
            return addresses[at : at + len(words)]
    return None


def linked_texts():
    """For each paragraph of the slide: its text and the address behind each of its characters, None without a link."""
    slide = slide_after(SLIDE)
    for shape in all_shapes(slide.shapes if slide is not None else ()):
        if shape.has_text_frame:
            whole = shape.click_action.hyperlink.address  # a link on the shape itself covers all its text
            for paragraph in shape.text_frame.paragraphs:
                marks = [(char, run.hyperlink.address or whole) for run in paragraph.runs for char in run.text]
                yield "".join(char for char, _ in marks), [address for _, address in marks]


def other_links():
    """The data sheet and the board's address are still linked as before."""
    wrong = []
    for words, wanted in (
        ("quarterly data sheet", "https://data.kestrelsound.example/2026-q3"),
        ("board@kestrelsound.example", "mailto:board@kestrelsound.example"),
    ):
        found = set(behind(words) or [None])
        if found != {wanted}:
            wrong.append(f"{words!r} leads to {', '.join(sorted(map(str, found)))}; before: {wanted}")
    return verdict(wrong, "both other links are as they were")


def only_these_words():
    """No other words of the slide became a link."""
    more = []
    for text, addresses in linked_texts():
        linked = "".join(c if a and "departures" in a else "|" for c, a in zip(text, addresses, strict=True))
        parts = [part.strip(" .,;:") for part in linked.split("|")]
        more += [f"the link covers {part!r}" for part in parts if part and part.lower() != WORDS]
    return verdict(more, "no other words are linked")


def nothing_else():
    """Texts, places and all other slides are as they were."""
    return verdict(extraneous({SLIDE: may_not_change}), "nothing else has changed")


NAME = "Link to the departure board"
DESCRIPTION = "The named words, and only they, lead to the given address."
TREE = [
    group(
        "Link made",
        "The words carry the link that was asked for.",
        leaf(words_linked, "The words are linked", critical=True),
        leaf(address_right, "The address is right", critical=True),
        critical=True,
    ),
    group(
        "Rest intact",
        "Other links and all the rest stay.",
        leaf(other_links, "Other links kept", critical=True),
        leaf(only_these_words, "Only these words"),
        leaf(nothing_else, "Nothing else changed"),
        critical=True,
    ),
]
