"""What python-pptx's shapes hold, texts and charts' numbers, gathered from the XML itself. A part of hot_paths."""

from __future__ import annotations

import functools
import importlib
from typing import Any

# python-pptx has no types: its objects are Any here.


def _of(name: str) -> Any:
    """A module of python-pptx, untyped: its attributes are about to be replaced."""
    return importlib.import_module(name)


def install() -> None:
    """Put the faster ways in place; hot_paths calls it, which looks at the version first."""
    _texts()
    _series()
    _objects()


def _texts() -> None:
    """The text of a run, a paragraph and a text frame: gathered from the elements, without an object for each."""
    qn, oxml = _of("pptx.oxml.ns").qn, _of("pptx.oxml.text")
    text = _of("pptx.text.text")

    body_class, paragraph_class = oxml.CT_TextBody, oxml.CT_TextParagraph
    run_class, break_class = oxml.CT_RegularTextRun, oxml.CT_TextLineBreak
    pieces = (run_class, break_class, oxml.CT_TextField)
    p_tag, t_tag = qn("a:p"), qn("a:t")

    def content_children(self: Any) -> tuple[Any, ...]:
        return tuple([child for child in self if isinstance(child, pieces)])

    slow_of_run = run_class.text

    def of_run(self: Any) -> Any:
        if len(self):
            child = self[0]
            while child is not None:
                if child.tag == t_tag:
                    return child.text or ""
                child = child.getnext()
        return slow_of_run.fget(self)  # which raises

    def of_paragraph(element: Any) -> str:
        if type(element) is not paragraph_class:
            return "".join([child.text for child in element.content_children])
        texts = []
        for child in element:
            kind = type(child)
            if kind is run_class:
                texts.append(of_run(child))
            elif kind is break_class or isinstance(child, pieces):
                texts.append(child.text)
        return "".join(texts)

    def of_proxy(self: Any) -> str:
        return of_paragraph(self._element)

    slow_of_frame = text.TextFrame.text

    def of_frame(self: Any) -> Any:
        body = self._txBody
        if type(body) is not body_class:
            return slow_of_frame.fget(self)
        return "\n".join([of_paragraph(child) for child in body if child.tag == p_tag])

    run = text._Run

    def runs(self: Any) -> tuple[Any, ...]:
        return tuple([run(element, self) for element in self._element.r_lst])

    for kind, name, get in (
        (paragraph_class, "content_children", content_children),
        (paragraph_class, "text", of_paragraph),
        (run_class, "text", of_run),
        (text._Paragraph, "text", of_proxy),
        (text._Paragraph, "runs", runs),
        (text.TextFrame, "text", of_frame),
    ):
        old = vars(kind)[name]
        setattr(kind, name, property(get, old.fset, old.fdel, old.__doc__))


def _series() -> None:
    """A series' values: its points once through, where python-pptx has an expression made for each and evaluated."""
    series, data = _of("pptx.chart.series")._BaseCategorySeries, _of("pptx.oxml.chart.series").CT_NumDataSource
    tag = _of("pptx.oxml.ns").qn("c:pt")

    slow = series.values

    def values(self: Any) -> Any:
        of = self._element.val
        if type(of) is not data:
            return slow.fget(self)
        points: dict[int, Any] = {}
        for point in of.iter(tag):
            number = point.get("idx")
            if number is not None:
                if not (number.isascii() and number.isdigit()):
                    return slow.fget(self)  # XPath has its own idea of what a number is
                points.setdefault(int(number), point)
        return tuple([points[idx].value if idx in points else None for idx in range(of.ptCount_val)])

    series.values = property(values, slow.fset, slow.fdel, slow.__doc__)


def _objects() -> None:
    """The objects that are made most: their attributes set at once, not by each of their bases in turn."""
    shape, text = _of("pptx.shapes.autoshape").Shape, _of("pptx.text.text")

    def of_shape(self: Any, sp: Any, parent: Any) -> None:
        self._element = sp
        self._parent = parent
        self._sp = sp

    def of_frame(self: Any, txBody: Any, parent: Any) -> None:  # noqa: N803 - may be given by name
        self._parent = parent
        self._element = self._txBody = txBody

    def of_paragraph(self: Any, p: Any, parent: Any) -> None:
        self._parent = parent
        self._element = self._p = p

    for kind, make in ((shape, of_shape), (text.TextFrame, of_frame), (text._Paragraph, of_paragraph)):
        kind.__init__ = functools.wraps(kind.__init__)(make)
