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
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

VERSION = "1.0.2"
# Of each cache below: a deck's vocabulary is a few hundred names, and leaves build few expressions of their own.
_MOST = 2048
_PLACEHOLDER = "./*[1]/p:nvPr/p:ph"
_OFTEN = (
    "./*[1]", "//@id", "./p:nvPicPr/p:nvPr/a:videoFile", ".//p:oleObj", "./p:embed", "ancestor::a:tbl",
    "./a:xfrm/a:ext/@cx", "./a:xfrm/a:ext/@cy", "./a:xfrm/a:off/@x", "./a:xfrm/a:off/@y",
    "c:tx[c:rich]", "./c:ser", "./c:ser[1]/c:cat", "./c:ser//c:cat//c:ptCount", "./c:ser[1]/c:cat//c:lvl[1]/c:pt",
    "./c:ser[1]/c:cat//c:pt", ".//c:lvl", ".//c:ptCount/@val", "./c:cat//c:ptCount/@val", "./c:tx//c:pt/c:v/text()",
)  # fmt: skip

# python-pptx has no types: its objects are Any here.


def _of(name: str) -> Any:
    """A module of python-pptx, untyped: its attributes are about to be replaced."""
    return importlib.import_module(name)


def install() -> bool:
    """Put the faster ways in place, once for this process and those forked from it. False for another version."""
    import pptx

    if pptx.__version__ != VERSION:
        return False
    _names()
    _expressions()
    _children_and_attributes()
    _enumerations()
    _placeholders()
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

    def optional_child(tag: str) -> Callable[[Any], Any]:
        def get(element: Any) -> Any:
            for child in element.iterchildren(tag):
                return child
            return None

        return get

    def required_child(tag: str, slow: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def get(element: Any) -> Any:
            for child in element.iterchildren(tag):
                return child
            return slow(element)  # which raises

        return get

    def children(tag: str) -> Callable[[Any], Any]:
        return lambda element: list(element.iterchildren(tag))

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
            return required_child(qn(declared._nsptagname), old) if maker == "OneAndOnlyOne" else None
        if maker == "OptionalAttribute":
            return optional_attribute(declared._clark_name, declared._default, declared._simple_type.from_xml)
        if maker == "RequiredAttribute":
            return required_attribute(declared._clark_name, old, declared._simple_type.from_xml)
        return None

    classes = [element_class]
    for kind in classes:
        classes += [sub for sub in kind.__subclasses__() if sub not in classes]
        for name, value in list(vars(kind).items()):
            if isinstance(value, property) and value.fget is not None:
                get = quick(value.fget)
                if get is not None:
                    setattr(kind, name, property(get, value.fset, value.fdel, value.__doc__))


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


def _placeholders() -> None:
    """Whether a shape is a placeholder, and which placeholder of the layout or master it follows."""
    from lxml import etree

    _nsmap = _of("pptx.oxml.ns")._nsmap
    shape_element = _of("pptx.oxml.shapes.autoshape").CT_Shape
    any_shape_element = _of("pptx.oxml.shapes.shared").BaseShapeElement
    layout_placeholders = _of("pptx.shapes.shapetree").LayoutPlaceholders
    master_placeholders = _of("pptx.shapes.shapetree").MasterPlaceholders

    found: Callable[[Any], Any] = etree.XPath(_PLACEHOLDER, namespaces=_nsmap)

    def ph(self: Any) -> Any:
        elements = found(self)
        return elements[0] if elements else None

    any_shape_element.ph = property(ph, doc=any_shape_element.ph.__doc__)
    any_shape_element.has_ph_elm = property(lambda self: bool(found(self)), doc=any_shape_element.has_ph_elm.__doc__)

    def of_layout(self: Any, idx: int, default: Any = None) -> Any:
        for element in self._iter_member_elms():
            if element.ph_idx == idx:
                return self._shape_factory(element)
        return default

    slow: Callable[..., Any] = master_placeholders.get

    def of_master(self: Any, ph_type: Any, default: Any = None) -> Any:
        if type(self) is not master_placeholders:
            return slow(self, ph_type, default)  # notes masters: another class of shapes, which may lack a type
        for element in self._iter_member_elms():
            # A picture or table among them has no type of its own: let python-pptx say so.
            of_element = element.ph_type if isinstance(element, shape_element) else self._shape_factory(element).ph_type
            if of_element == ph_type:
                return self._shape_factory(element)
        return default

    layout_placeholders.get = functools.wraps(layout_placeholders.get)(of_layout)
    master_placeholders.get = functools.wraps(slow)(of_master)


def _relations() -> None:
    """From a part to those it is related to, and to a slide's id, past Mapping's slow views."""
    relationships = _of("pptx.opc.package")._Relationships
    presentation_part = _of("pptx.parts.presentation").PresentationPart

    slow_related: Callable[[Any, str], Any] = relationships.part_with_reltype

    def part_with_reltype(self: Any, reltype: str) -> Any:
        fitting = [relation for relation in self._rels.values() if relation._reltype == reltype]
        return fitting[0].target_part if len(fitting) == 1 else slow_related(self, reltype)

    relationships.part_with_reltype = functools.wraps(slow_related)(part_with_reltype)

    slow_id: Callable[[Any, Any], Any] = presentation_part.slide_id

    def slide_id(self: Any, slide_part: Any) -> Any:
        relations = self._rels._rels
        for item in self._element.sldIdLst:
            relation = relations.get(item.rId)
            if relation is None or relation.is_external:
                break  # a broken deck: let python-pptx say so
            if relation._target is slide_part:
                return item.id
        return slow_id(self, slide_part)

    presentation_part.slide_id = functools.wraps(slow_id)(slide_id)
