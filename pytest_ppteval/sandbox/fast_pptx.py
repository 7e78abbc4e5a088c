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

from pytest_ppteval.sandbox import fast_placeholders

if TYPE_CHECKING:
    from collections.abc import Callable

VERSION = "1.0.2"
# Of each cache below: a deck's vocabulary is a few hundred names, and leaves build few expressions of their own.
_MOST = 2048
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
    _enumerations()  # before the attributes, which take hold of their functions
    _children_and_attributes()
    _shapes()
    fast_placeholders.install()
    _texts()
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

    # Going through all children is faster than having lxml look for a name, which it prepares for anew each time: an
    # element has a handful of children, and the decks' own are at hand already (known.all_elements).
    def optional_child(tag: str) -> Callable[[Any], Any]:
        def get(element: Any) -> Any:
            for child in element:
                if child.tag == tag:
                    return child
            return None

        return get

    def required_child(tag: str, slow: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def get(element: Any) -> Any:
            for child in element:
                if child.tag == tag:
                    return child
            return slow(element)  # which raises

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
            return required_child(qn(declared._nsptagname), old) if maker == "OneAndOnlyOne" else None
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

    def shape_factory(shape_elm: Any, parent: Any) -> Any:
        if isinstance(shape_elm, picture_element):
            is_movie = shape_elm.xpath("./p:nvPicPr/p:nvPr/a:videoFile")
            return movie(shape_elm, parent) if is_movie else picture(shape_elm, parent)
        return classes.get(shape_elm.tag, any_shape)(shape_elm, parent)

    shapetree.BaseShapeFactory = functools.wraps(shapetree.BaseShapeFactory)(shape_factory)


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
        for child in self:
            if child.tag == t_tag:
                return child.text or ""
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

    def runs(self: Any) -> tuple[Any, ...]:
        run = text._Run
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
    relationships = _of("pptx.opc.package")._Relationships
    presentation_part = _of("pptx.parts.presentation").PresentationPart
    parts = _of("pptx.parts.slide")

    slow_related: Callable[[Any, str], Any] = relationships.part_with_reltype

    # What a relation once said is its part stays so, whatever it is told later: lazily, in its own table of attributes.
    def part_with_reltype(self: Any, reltype: str) -> Any:
        only = None
        for relation in self._rels.values():
            if relation._reltype == reltype:
                if only is not None:
                    return slow_related(self, reltype)
                only = relation
        if only is None:
            return slow_related(self, reltype)
        part = only.__dict__.get("target_part")
        return only.target_part if part is None else part

    relationships.part_with_reltype = functools.wraps(slow_related)(part_with_reltype)

    kinds = _of("pptx.opc.constants").RELATIONSHIP_TYPE
    layout_kind, master_kind = kinds.SLIDE_LAYOUT, kinds.SLIDE_MASTER

    def slide_layout(self: Any) -> Any:
        return part_with_reltype(self._rels, layout_kind).slide_layout

    def slide_master(self: Any) -> Any:
        return part_with_reltype(self._rels, master_kind).slide_master

    parts.SlidePart.slide_layout = property(slide_layout, doc=parts.SlidePart.slide_layout.__doc__)
    parts.SlideLayoutPart.slide_master = property(slide_master, doc=parts.SlideLayoutPart.slide_master.__doc__)

    r_id = _of("pptx.oxml.ns").qn("r:id")
    slow_id: Callable[[Any, Any], Any] = presentation_part.slide_id

    def slide_id(self: Any, slide_part: Any) -> Any:
        relations = self._rels._rels
        for item in self._element.sldIdLst:
            relation = relations.get(item.get(r_id))
            if relation is None:
                break  # a broken deck: let python-pptx say so
            part = relation.__dict__.get("target_part")
            if (relation.target_part if part is None else part) is slide_part:
                return item.id
        return slow_id(self, slide_part)

    presentation_part.slide_id = functools.wraps(slow_id)(slide_id)
