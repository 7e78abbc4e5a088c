"""python-pptx's hot paths, done faster with the same results. Runs in the sandbox only, before any leaf's code.

Nothing of a deck is remembered between two calls, since a leaf may change the deck it was given: the same questions are
asked in a cheaper way. On the shipped suite more than half of the leaves' own time went into these: XPath expressions
compiled anew for each call, qualified names put together anew, and shape objects made for each placeholder of a layout
just to ask it for its number.

For the one version of python-pptx that this was written against; any other keeps its own code.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

from pytest_ppteval.sandbox.fast import contents, placeholders

if TYPE_CHECKING:
    from collections.abc import Callable

VERSION = "1.0.2"
# In the environment of pytest, with any value: python-pptx keeps its own code.
SWITCH = "PPTEVAL_PLAIN_PPTX"
# Of each cache below: a deck's vocabulary is a few hundred names, and leaves build few expressions of their own.
_MOST = 2048
_OFTEN = (
    "./*[1]", "//@id", ".//p:oleObj", "./p:embed", "ancestor::a:tbl",
    "./a:xfrm/a:ext/@cx", "./a:xfrm/a:ext/@cy", "./a:xfrm/a:off/@x", "./a:xfrm/a:off/@y",
    "c:tx[c:rich]", "./c:ser", "./c:ser[1]/c:cat", "./c:ser//c:cat//c:ptCount", "./c:ser[1]/c:cat//c:lvl[1]/c:pt",
    "./c:ser[1]/c:cat//c:pt", ".//c:lvl", ".//c:ptCount/@val", "./c:cat//c:ptCount/@val", "./c:tx//c:pt/c:v/text()",
)  # fmt: skip

# python-pptx has no types: its objects are Any here.


def _of(name: str) -> Any:
    """A module of python-pptx, untyped: its attributes are about to be replaced."""
    return importlib.import_module(name)


def install() -> bool:
    """Put the faster ways in place, once for this process and those forked from it.

    False where it is another version, or they are switched off.
    """
    import pptx

    if pptx.__version__ != VERSION or os.environ.get(SWITCH):
        return False
    _names()
    _expressions()
    _enumerations()  # before the attributes, which take hold of their functions
    _children_and_attributes()
    _shapes()
    placeholders.install()
    contents.install()
    _lazy_properties()
    _relations()
    return True


def _names() -> None:
    """qn("p:sp"): from a table, in each module that imported the function by name."""
    ns = _of("pptx.oxml.ns")

    slow = ns.qn
    quick = functools.lru_cache(_MOST)(slow)
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "pptx" and getattr(module, "qn", None) is slow:
            module.qn = quick  # type: ignore[attr-defined]  # mypy knows no module by its name in sys.modules


def _expressions() -> None:
    """element.xpath("..."): each expression compiled once; one that does not compile raises as it always did."""
    from lxml import etree

    _nsmap = _of("pptx.oxml.ns")._nsmap
    element_class = _of("pptx.oxml.xmlchemy").BaseOxmlElement

    slow: Callable[[Any, str], Any] = element_class.xpath

    @functools.lru_cache(_MOST)
    def compiled(expression: str) -> etree.XPath:
        return etree.XPath(expression, namespaces=_nsmap)

    def xpath(self: Any, xpath_str: str) -> Any:
        try:
            evaluate = compiled(xpath_str)
        except Exception:
            return slow(self, xpath_str)
        return evaluate(self)

    element_class.xpath = functools.wraps(slow)(xpath)
    for expression in _OFTEN:
        compiled(expression)  # here, or each leaf's process would compile it for itself


def _children_and_attributes() -> None:
    """element.spPr, element.idx: the name looked up once for each property, not at each use; no path to take apart."""
    qn = _of("pptx.oxml.ns").qn
    element_class = _of("pptx.oxml.xmlchemy").BaseOxmlElement

    # Going from child to child is faster than having lxml look for a name, which it prepares for anew each time, or go
    # through them, for which it makes an iterator: an element has a handful of children, and what is asked for is among
    # the first of them; the decks' own are at hand already (known.all_elements).
    def optional_child(tag: str) -> Callable[[Any], Any]:
        def get(element: Any) -> Any:
            if len(element):
                child = element[0]
                while child is not None:
                    if child.tag == tag:
                        return child
                    child = child.getnext()
            return None

        return get

    # The loop is written out in both, since a call for it would cost more than it does.
    def child_or(tag: str, slow: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def get(element: Any) -> Any:
            if len(element):
                child = element[0]
                while child is not None:
                    if child.tag == tag:
                        return child
                    child = child.getnext()
            return slow(element)  # which raises, or adds it

        return get

    def children(tag: str) -> Callable[[Any], Any]:
        return lambda element: [child for child in element if child.tag == tag]

    plain_type = _of("pptx.oxml.simpletypes").BaseSimpleType

    def reader(kind: Any) -> Callable[[str], Any]:
        read = kind.from_xml
        # The plain one only calls the other.
        return kind.convert_from_xml if read.__func__ is plain_type.from_xml.__func__ else read  # type: ignore[no-any-return]

    def optional_attribute(name: str, default: Any, read: Callable[[str], Any]) -> Callable[[Any], Any]:
        def get(element: Any) -> Any:
            text = element.get(name)
            return default if text is None else read(text)

        return get

    def required_attribute(name: str, slow: Callable[[Any], Any], read: Callable[[str], Any]) -> Callable[[Any], Any]:
        def get(element: Any) -> Any:
            text = element.get(name)
            return slow(element) if text is None else read(text)

        return get

    def quick(old: Any) -> Callable[[Any], Any] | None:
        """A faster way to the same value, where `old` is one of python-pptx's generic getters."""
        maker, _, getter = getattr(old, "__qualname__", "").partition("._getter.<locals>.")
        if getter not in ("get_child_element", "get_attr_value") and "get_child_element_list" not in old.__qualname__:
            return None
        (cell,) = old.__closure__
        declared = cell.cell_contents
        if old.__qualname__ == "_BaseChildElement._list_getter.<locals>.get_child_element_list":
            return children(qn(declared._nsptagname))
        if getter == "get_child_element":
            if maker == "_BaseChildElement":
                return optional_child(qn(declared._nsptagname))
            return child_or(qn(declared._nsptagname), old) if maker == "OneAndOnlyOne" else None
        if maker == "OptionalAttribute":
            return optional_attribute(declared._clark_name, declared._default, reader(declared._simple_type))
        if maker == "RequiredAttribute":
            return required_attribute(declared._clark_name, old, reader(declared._simple_type))
        return None

    classes = [element_class]
    for kind in classes:
        classes += [sub for sub in kind.__subclasses__() if sub not in classes]
        for name, value in list(vars(kind).items()):
            if isinstance(value, property) and value.fget is not None:
                get = quick(value.fget)
                if get is not None:
                    setattr(kind, name, property(get, value.fset, value.fdel, value.__doc__))
            elif getattr(value, "__qualname__", "") == "ZeroOrOne._add_get_or_adder.<locals>.get_or_add_child":
                child = child_or(qn(value.__closure__[0].cell_contents._nsptagname), value)
                setattr(kind, name, functools.wraps(value)(child))


def _enumerations() -> None:
    """From an attribute's text to its enumeration's member: by a table of each enumeration."""
    enumeration = _of("pptx.enum.base").BaseXmlEnum

    slow = enumeration.from_xml.__func__
    tables: dict[Any, dict[str, Any]] = {}
    for kind in enumeration.__subclasses__():
        table = tables[kind] = {}
        for member in kind:
            if member.xml_value:
                table.setdefault(member.xml_value, member)
    empty: dict[str, Any] = {}

    def from_xml(cls: Any, xml_value: str) -> Any:
        member = tables.get(cls, empty).get(xml_value)
        return slow(cls, xml_value) if member is None else member

    enumeration.from_xml = classmethod(functools.wraps(slow)(from_xml))


def _shapes() -> None:
    """A shape's identity, and the object that stands for it: by tables that are made once."""
    qn = _of("pptx.oxml.ns").qn
    shapetree = _of("pptx.shapes.shapetree")
    any_shape_element = _of("pptx.oxml.shapes.shared").BaseShapeElement

    slow: Callable[[Any], Any] = any_shape_element._nvXxPr.fget

    def non_visual(self: Any) -> Any:
        if len(self) and isinstance((first := self[0]).tag, str):
            return first
        return slow(self)

    any_shape_element._nvXxPr = property(non_visual, doc=any_shape_element._nvXxPr.__doc__)

    picture_element, picture, movie = shapetree.CT_Picture, shapetree.Picture, shapetree.Movie
    any_shape = shapetree.BaseShape
    classes = {
        qn("p:cxnSp"): shapetree.Connector,
        qn("p:grpSp"): shapetree.GroupShape,
        qn("p:sp"): shapetree.Shape,
        qn("p:graphicFrame"): shapetree.GraphicFrame,
    }

    nv_pic_pr, nv_pr, video = qn("p:nvPicPr"), qn("p:nvPr"), qn("a:videoFile")

    def shows_video(pic: Any) -> bool:
        for properties in pic:
            if properties.tag == nv_pic_pr:
                for own in properties:
                    if own.tag == nv_pr and len(own) and video in [child.tag for child in own]:
                        return True
        return False

    def shape_factory(shape_elm: Any, parent: Any) -> Any:
        if isinstance(shape_elm, picture_element):
            return (movie if shows_video(shape_elm) else picture)(shape_elm, parent)
        return classes.get(shape_elm.tag, any_shape)(shape_elm, parent)

    shapetree.BaseShapeFactory = functools.wraps(shapetree.BaseShapeFactory)(shape_factory)


def _lazy_properties() -> None:
    """What is worked out once for an object: without the call that tells type checkers what it is."""
    lazyproperty = _of("pptx.util").lazyproperty

    def get(self: Any, obj: Any, type: Any = None) -> Any:  # noqa: ARG001 - as a descriptor has it
        if obj is None:
            return self
        values = obj.__dict__
        value = values.get(self._name)
        if value is None:
            value = values[self._name] = self._fget(obj)
        return value

    lazyproperty.__get__ = functools.wraps(lazyproperty.__get__)(get)


def _relations() -> None:
    """From a part to those it is related to, and to a slide's id, past Mapping's slow views."""
    from lxml import etree

    ns, package = _of("pptx.oxml.ns"), _of("pptx.opc.package")
    relationships, relatable = package._Relationships, package._RelatableMixin
    presentation_part = _of("pptx.parts.presentation").PresentationPart
    parts = _of("pptx.parts.slide")

    slow_related: Callable[[Any, str], Any] = relationships.part_with_reltype

    # What these objects have once worked out stays in their own tables of attributes (pptx.util.lazyproperty), and is
    # taken from there without a call: a relation's part, for one, whatever the relation is told later.
    def of(part: Any) -> Any:
        """A part's relations, by their numbers."""
        known = part.__dict__.get("_rels")
        if known is None:  # not `or`: an object with a length is asked for it
            known = part._rels
        return known.__dict__.get("_rels") or known._rels

    def target(relation: Any) -> Any:
        return relation.__dict__.get("target_part") or relation.target_part

    def part_with_reltype(self: Any, reltype: str) -> Any:
        only = None
        for relation in (self.__dict__.get("_rels") or self._rels).values():
            if relation._reltype == reltype:
                if only is not None:
                    return slow_related(self, reltype)
                only = relation
        return slow_related(self, reltype) if only is None else target(only)

    relationships.part_with_reltype = functools.wraps(slow_related)(part_with_reltype)

    kinds = _of("pptx.opc.constants").RELATIONSHIP_TYPE
    layout_kind, master_kind = kinds.SLIDE_LAYOUT, kinds.SLIDE_MASTER

    def slide_layout(self: Any) -> Any:
        known = self.__dict__.get("_rels")
        part = part_with_reltype(self._rels if known is None else known, layout_kind)
        return part.__dict__.get("slide_layout") or part.slide_layout

    def slide_master(self: Any) -> Any:
        known = self.__dict__.get("_rels")
        part = part_with_reltype(self._rels if known is None else known, master_kind)
        return part.__dict__.get("slide_master") or part.slide_master

    parts.SlidePart.slide_layout = property(slide_layout, doc=parts.SlidePart.slide_layout.__doc__)
    parts.SlideLayoutPart.slide_master = property(slide_master, doc=parts.SlideLayoutPart.slide_master.__doc__)

    slow_part: Callable[[Any, str], Any] = relatable.related_part
    slow_slide: Callable[[Any, str], Any] = presentation_part.related_slide

    def related_part(self: Any, rId: str) -> Any:  # noqa: N803 - may be given by name
        relation = of(self).get(rId)
        return slow_part(self, rId) if relation is None else target(relation)

    def related_slide(self: Any, rId: str) -> Any:  # noqa: N803
        relation = of(self).get(rId)
        if relation is None:
            return slow_slide(self, rId)
        part = target(relation)
        return part.__dict__.get("slide") or part.slide

    relatable.related_part = functools.wraps(slow_part)(related_part)
    presentation_part.related_slide = functools.wraps(slow_slide)(related_slide)

    numbers: Callable[[Any], Any] = etree.XPath("p:sldId/@r:id", namespaces=ns._nsmap, smart_strings=False)
    slow_id: Callable[[Any, Any], Any] = presentation_part.slide_id

    def slide_id(self: Any, slide_part: Any) -> Any:
        relations, listed = of(self), self._element.sldIdLst
        in_order = numbers(listed)
        if len(in_order) == len(listed):  # all there is are slides, and all have a number
            for position, number in enumerate(in_order):
                relation = relations.get(number)
                if relation is None:
                    break  # a broken deck: let python-pptx say so
                if (relation.__dict__.get("target_part") or relation.target_part) is slide_part:
                    return listed[position].id
        return slow_id(self, slide_part)

    presentation_part.slide_id = functools.wraps(slow_id)(slide_id)
