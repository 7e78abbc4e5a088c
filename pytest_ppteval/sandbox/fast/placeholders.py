"""Placeholders of python-pptx, answered from the XML itself: which shapes are some, where they are, whom they follow.

A part of hot_paths, under the same rules. python-pptx finds the position of a placeholder that has none of its own by
making an object for each placeholder of the layout, and then of the master, and asks each object; four times for one
shape. Here the elements are asked. Whatever is unusual (a shape of an unknown class, a value that does not parse, a
layout that is missing) goes the original's way from the start, which only reads: so it raises what it always raised.
"""

from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PLACEHOLDER = "./*[1]/p:nvPr/p:ph"


class _UnusualError(Exception):
    """The original knows what to do."""


# python-pptx has no types: its objects are Any here.


def _of(name: str) -> Any:
    """A module of python-pptx, untyped: its attributes are about to be replaced."""
    return importlib.import_module(name)


def install() -> None:
    """Put the faster ways in place; hot_paths calls it, which looks at the version first."""
    ph = _placeholder_of()
    _members(ph)
    _factories(ph)
    _positions(ph, _followed(ph))


def _placeholder_of() -> Callable[[Any], Any]:
    """element.ph, and what is read from it."""
    from lxml import etree

    ns, shared = _of("pptx.oxml.ns"), _of("pptx.oxml.shapes.shared")
    any_shape_element, placeholder = shared.BaseShapeElement, shared.CT_Placeholder
    application = shared.CT_ApplicationNonVisualDrawingProps  # p:nvPr, and nothing else

    found: Callable[[Any], Any] = etree.XPath(_PLACEHOLDER, namespaces=ns._nsmap)
    nv_pr, ph_tag = ns.qn("p:nvPr"), ns.qn("p:ph")

    def ph(self: Any) -> Any:
        # As the schema has it: p:nvPr is the last of three. A shape of any other form is left to XPath.
        if len(self) and len(properties := self[0]) == 3:
            last = properties[2]
            if type(last) is application and properties[1].tag != nv_pr and properties[0].tag != nv_pr:
                if not (count := len(last)):
                    return None
                first = last[0]
                if first.tag == ph_tag:
                    return first
                if count == 1:
                    return None
        elements = found(self)
        return elements[0] if elements else None

    def is_placeholder(self: Any) -> bool:
        return ph(self) is not None

    slow_idx, slow_type = any_shape_element.ph_idx, any_shape_element.ph_type

    def ph_idx(self: Any) -> Any:
        of = ph(self)
        if type(of) is not placeholder:
            return slow_idx.fget(self)
        text = of.get("idx")
        return 0 if text is None else int(text)

    def ph_type(self: Any) -> Any:
        of = ph(self)
        return slow_type.fget(self) if of is None else of.type

    any_shape_element.ph = property(ph, doc=any_shape_element.ph.__doc__)
    any_shape_element.has_ph_elm = property(is_placeholder, doc=any_shape_element.has_ph_elm.__doc__)
    any_shape_element.ph_idx = property(ph_idx, doc=slow_idx.__doc__)
    any_shape_element.ph_type = property(ph_type, doc=slow_type.__doc__)
    return ph


def _shape_elements() -> frozenset[Any]:
    """The classes of the elements that are shapes, each with the `ph` above."""
    tree = _of("pptx.oxml.shapes.groupshape")
    return frozenset(
        (tree.CT_Shape, tree.CT_Picture, tree.CT_GroupShape, tree.CT_Connector, tree.CT_GraphicalObjectFrame)
    )


def _members(ph: Callable[[Any], Any]) -> None:
    """The elements of a collection of shapes: one generator instead of two or three, one inside the other."""
    group = _of("pptx.oxml.shapes.groupshape").CT_GroupShape
    shapetree = _of("pptx.shapes.shapetree")
    any_shapes, any_placeholders = shapetree._BaseShapes, shapetree.BasePlaceholders
    tags, known = group._shape_tags, _shape_elements()

    def iter_shape_elms(self: Any) -> Iterator[Any]:
        for child in self:
            if child.tag in tags:
                yield child

    def iter_ph_elms(self: Any) -> Iterator[Any]:
        for child in self:
            if child.tag in tags and (ph(child) is not None if type(child) in known else child.has_ph_elm):
                yield child

    group.iter_shape_elms = functools.wraps(group.iter_shape_elms)(iter_shape_elms)
    group.iter_ph_elms = functools.wraps(group.iter_ph_elms)(iter_ph_elms)

    slow = any_shapes._iter_member_elms
    member, placeholder = any_shapes._is_member_elm, any_placeholders._is_member_elm

    def iter_member_elms(self: Any) -> Iterator[Any]:
        wanted, tree = type(self)._is_member_elm, self._spTree
        if type(tree) is group and wanted is member:
            return iter_shape_elms(tree)
        return iter_ph_elms(tree) if type(tree) is group and wanted is placeholder else slow(self)

    any_shapes._iter_member_elms = functools.wraps(slow)(iter_member_elms)


def _factories(ph: Callable[[Any], Any]) -> None:
    """The object that stands for a shape on a slide, a layout or a master: by tables that are made once."""
    shapetree = _of("pptx.shapes.shapetree")
    shape_element, shape = shapetree.CT_Shape, shapetree.Shape
    kinds = shapetree.PP_PLACEHOLDER
    special = {
        kinds.BITMAP: shapetree.PicturePlaceholder,
        kinds.CHART: shapetree.ChartPlaceholder,
        kinds.PICTURE: shapetree.PicturePlaceholder,
        kinds.TABLE: shapetree.TablePlaceholder,
    }
    plain = shapetree.SlidePlaceholder

    slow_on_slide = shapetree.SlideShapeFactory

    def on_slide(shape_elm: Any, parent: Any) -> Any:
        if type(shape_elm) is not shape_element:
            return slow_on_slide(shape_elm, parent)
        of = ph(shape_elm)
        return (shape if of is None else special.get(of.type, plain))(shape_elm, parent)

    shapetree.SlideShapeFactory = functools.wraps(slow_on_slide)(on_slide)

    def elsewhere(slow: Callable[[Any, Any], Any], placeholder: Any) -> Callable[[Any, Any], Any]:
        def factory(shape_elm: Any, parent: Any) -> Any:
            if type(shape_elm) is not shape_element:
                return slow(shape_elm, parent)
            return (shape if ph(shape_elm) is None else placeholder)(shape_elm, parent)

        return functools.wraps(slow)(factory)

    shapetree._LayoutShapeFactory = elsewhere(shapetree._LayoutShapeFactory, shapetree.LayoutPlaceholder)
    shapetree._MasterShapeFactory = elsewhere(shapetree._MasterShapeFactory, shapetree.MasterPlaceholder)
    shapetree._NotesSlideShapeFactory = elsewhere(shapetree._NotesSlideShapeFactory, shapetree.NotesSlidePlaceholder)


def _followed(ph: Callable[[Any], Any]) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """The element of a layout's placeholder of a number, and of a master's of a type. None where there is none."""
    shapetree = _of("pptx.shapes.shapetree")
    layout_placeholders, master_placeholders = shapetree.LayoutPlaceholders, shapetree.MasterPlaceholders
    placeholder = _of("pptx.oxml.shapes.shared").CT_Placeholder
    group = _of("pptx.oxml.shapes.groupshape").CT_GroupShape
    shape_element, known, tags = shapetree.CT_Shape, _shape_elements(), group._shape_tags

    def in_layout(collection: Any, idx: Any) -> Any:
        tree = collection._spTree
        if type(collection) is not layout_placeholders or type(tree) is not group:
            raise _UnusualError
        for element in tree:
            if element.tag in tags:
                if type(element) not in known:
                    raise _UnusualError
                of = ph(element)
                if of is not None:
                    if type(of) is not placeholder:
                        raise _UnusualError
                    text = of.get("idx")
                    if (0 if text is None else int(text)) == idx:
                        return element
        return None

    def in_master(collection: Any, ph_type: Any) -> Any:
        tree = collection._spTree
        if type(collection) is not master_placeholders or type(tree) is not group:
            raise _UnusualError  # notes masters: another class of shapes, which may lack a type
        for element in tree:
            if element.tag in tags:
                if type(element) not in known:
                    raise _UnusualError
                of = ph(element)
                if of is not None:
                    if type(element) is not shape_element:
                        raise _UnusualError  # a picture or table has no type of its own: let python-pptx say so
                    if of.type == ph_type:
                        return element
        return None

    unclear = object()
    slow_in_layout: Callable[..., Any] = layout_placeholders.get
    slow_in_master: Callable[..., Any] = master_placeholders.get

    def of_layout(self: Any, idx: Any, default: Any = None) -> Any:
        try:
            element = in_layout(self, idx)
        except Exception:
            element = unclear  # and not the slow way from here: its error would show this one as its context
        if element is unclear:
            return slow_in_layout(self, idx, default)
        return default if element is None else self._shape_factory(element)

    def of_master(self: Any, ph_type: Any, default: Any = None) -> Any:
        try:
            element = in_master(self, ph_type)
        except Exception:
            element = unclear
        if element is unclear:
            return slow_in_master(self, ph_type, default)
        return default if element is None else self._shape_factory(element)

    layout_placeholders.get = functools.wraps(slow_in_layout)(of_layout)
    master_placeholders.get = functools.wraps(slow_in_master)(of_master)
    return in_layout, in_master


def _own_position(point: str, attribute: str) -> Callable[[Any], Any]:
    """element.x and its like, of an element of a class that has p:spPr or p:grpSpPr: without the objects between."""
    qn, shared = _of("pptx.oxml.ns").qn, _of("pptx.oxml.shapes.shared")
    tree = _of("pptx.oxml.shapes.groupshape")
    transform, offset, size = shared.CT_Transform2D, shared.CT_Point2D, shared.CT_PositiveSize2D
    emu = _of("pptx.util").Emu
    make: Callable[[Any, str], Any] = int.__new__  # as Emu's own does at last

    outline, around = (qn("p:spPr"), shared.CT_ShapeProperties), (qn("p:grpSpPr"), tree.CT_GroupShapeProperties)
    homes = {tree.CT_Shape: outline, tree.CT_Picture: outline, tree.CT_Connector: outline, tree.CT_GroupShape: around}
    xfrm_tag, point_tag, point_class = qn("a:xfrm"), qn(point), size if point == "a:ext" else offset
    slow = getattr(shared.BaseShapeElement, attribute)

    # From child to child by position, see hot_paths's optional_child.
    def get(self: Any) -> Any:
        home = homes.get(type(self))
        if home is None or not len(self):
            return slow.fget(self)
        tag, kind = home
        properties = self[0]
        while properties is not None and properties.tag != tag:
            properties = properties.getnext()
        if type(properties) is not kind:
            return slow.fget(self)
        xfrm = properties[0] if len(properties) else None
        while xfrm is not None and xfrm.tag != xfrm_tag:
            xfrm = xfrm.getnext()
        if xfrm is None:
            return None
        if type(xfrm) is not transform:
            return slow.fget(self)
        corner = xfrm[0] if len(xfrm) else None
        while corner is not None and corner.tag != point_tag:
            corner = corner.getnext()
        if corner is None:
            return None
        text = corner.get(attribute)
        # Digits only: no unit, and int() takes it or raises what it always raised.
        if type(corner) is point_class and text is not None and text.isdigit():
            return make(emu, text)
        return slow.fget(self)

    setattr(shared.BaseShapeElement, attribute, property(get, slow.fset, slow.fdel, slow.__doc__))
    return get


def _positions(ph: Callable[[Any], Any], followed: tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]) -> None:
    """placeholder.left and its like."""
    module, shapetree = _of("pptx.shapes.placeholder"), _of("pptx.shapes.shapetree")
    inheriting, kinds = module._InheritsDimensions, module.PP_PLACEHOLDER
    shape_element, on_layout = shapetree.CT_Shape, module.LayoutPlaceholder
    in_layout, in_master = followed
    on_slide = frozenset(
        (
            module.SlidePlaceholder,
            module.ChartPlaceholder,
            module.PicturePlaceholder,
            module.TablePlaceholder,
            module.PlaceholderPicture,
        )
    )
    same = ("BODY", "DATE", "FOOTER", "SLIDE_NUMBER", "TITLE")
    body = ("CHART", "BITMAP", "ORG_CHART", "MEDIA_CLIP", "OBJECT", "PICTURE", "SUBTITLE", "TABLE")
    base_type = {
        kinds.CENTER_TITLE: kinds.TITLE,
        **{kinds[name]: kinds[name] for name in same},
        **{kinds[name]: kinds.BODY for name in body},
    }

    def inherited(placeholder: Any, own: Callable[[Any], Any]) -> Any:
        element = placeholder._element
        if type(placeholder) in on_slide:
            layout = placeholder.part.slide_layout
            element = in_layout(layout.placeholders, element.ph_idx)
            if element is None:
                return None
            value = own(element)
            if value is not None or type(element) is not shape_element:
                return value
        elif type(placeholder) is on_layout and type(element) is shape_element:
            layout = placeholder
        else:
            raise _UnusualError
        element = in_master(layout.part.slide_master.placeholders, base_type[ph(element).type])
        return None if element is None else own(element)

    def position(name: str, point: str, attribute: str) -> None:
        own = _own_position(point, attribute)
        old = vars(inheriting)[name]

        def get(self: Any) -> Any:
            try:
                value = own(self._element)
                return inherited(self, own) if value is None else value
            except Exception:  # the original raises it, below, without this one as its context
                pass
            return old.fget(self)

        setattr(inheriting, name, property(get, old.fset, old.fdel, old.__doc__))

    position("left", "a:off", "x")
    position("top", "a:off", "y")
    position("width", "a:ext", "cx")
    position("height", "a:ext", "cy")
