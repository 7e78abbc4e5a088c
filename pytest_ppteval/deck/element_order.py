"""In which order elements must stand below their parent (ECMA-376 part 1, annex A): else PowerPoint repairs the file.

Only of elements that programs which edit decks write themselves.
"""

from __future__ import annotations

from pytest_ppteval.deck.xmlnames import A, P

_FILL = "noFill|solidFill|gradFill|blipFill|pattFill|grpFill"
_EFFECT = "effectLst|effectDag"
_ENDS = "extLst"
_FONTS = "latin ea cs sym"
_BULLETS = "buClrTx|buClr buSzTx|buSzPct|buSzPts buFontTx|buFont buNone|buAutoNum|buChar|buBlip"
# Of each parent its children in order; those with "|" between them share a place.
_TEXT: dict[str, str] = {
    A + "p": "pPr r|br|fld|m endParaRPr",
    A + "r": "rPr t",
    A + "fld": "rPr pPr t",
    A + "rPr": f"ln {_FILL} {_EFFECT} highlight uLnTx|uLn uFillTx|uFill {_FONTS} hlinkClick hlinkMouseOver rtl {_ENDS}",
    A + "pPr": f"lnSpc spcBef spcAft {_BULLETS} tabLst defRPr {_ENDS}",
    A + "bodyPr": f"prstTxWarp noAutofit|normAutofit|spAutoFit scene3d sp3d|flatTx {_ENDS}",
    A + "tbl": "tblPr tblGrid tr",
    A + "tr": f"tc {_ENDS}",
    A + "tc": f"txBody tcPr {_ENDS}",
    A + "tcPr": f"lnL lnR lnT lnB lnTlToBr lnBlToTr cell3D {_FILL} headers {_ENDS}",
    A + "txBody": "bodyPr lstStyle p",
    A + "ln": f"noFill|solidFill|gradFill|pattFill prstDash|custDash round|bevel|miter headEnd tailEnd {_ENDS}",
    A + "xfrm": "off ext chOff chExt",
    A + "gradFill": "gsLst lin|path tileRect",
    A + "effectLst": "blur fillOverlay glow innerShdw outerShdw prstShdw reflection softEdge",
}
_TEXT[A + "endParaRPr"] = _TEXT[A + "defRPr"] = _TEXT[A + "rPr"]
for _level in range(1, 10):
    _TEXT[f"{A}lvl{_level}pPr"] = _TEXT[A + "pPr"]
_SHAPE_PROPERTIES = f"xfrm custGeom|prstGeom {_FILL} ln {_EFFECT} scene3d sp3d {_ENDS}"
_ONE = "sp|grpSp|graphicFrame|cxnSp|pic|contentPart"
# Children of these are in the presentation's own name space, but for those named with "a:".
_SLIDES: dict[str, str] = {
    P + "sld": f"cSld clrMapOvr transition timing {_ENDS}",
    P + "cSld": f"bg spTree custDataLst controls {_ENDS}",
    P + "spTree": f"nvGrpSpPr grpSpPr {_ONE} {_ENDS}",
    P + "grpSp": f"nvGrpSpPr grpSpPr {_ONE} {_ENDS}",
    P + "sp": f"nvSpPr spPr style txBody {_ENDS}",
    P + "pic": f"nvPicPr blipFill spPr style {_ENDS}",
    P + "cxnSp": f"nvCxnSpPr spPr style {_ENDS}",
    P + "graphicFrame": f"nvGraphicFramePr xfrm a:graphic {_ENDS}",
    P + "txBody": "a:bodyPr a:lstStyle a:p",
    P + "timing": f"tnLst bldLst {_ENDS}",
    P + "nvSpPr": "cNvPr cNvSpPr nvPr",
    P + "nvPicPr": "cNvPr cNvPicPr nvPr",
}
_PROPERTIES = {
    P + "spPr": _SHAPE_PROPERTIES,
    P + "grpSpPr": f"xfrm {_FILL} {_EFFECT} scene3d {_ENDS}",
    A + "spPr": _SHAPE_PROPERTIES,
}


def _places(order: str, space: str) -> dict[str, int]:
    found = {}
    for place, names in enumerate(order.split()):
        for name in names.split("|"):
            bare = name.removeprefix("a:")
            found[(A if name.startswith("a:") else space) + bare] = place
            if bare == "m":
                found["{http://schemas.microsoft.com/office/drawing/2010/main}m"] = place
    return found


# Tag of the parent -> tag of the child -> its place.
ORDERS: dict[str, dict[str, int]] = {
    **{parent: _places(order, A) for parent, order in (_TEXT | _PROPERTIES).items()},
    **{parent: _places(order, P) for parent, order in _SLIDES.items()},
}
ORDERS[A + "blipFill"] = _places("blip srcRect tile|stretch", A)
ORDERS[P + "blipFill"] = ORDERS[A + "blipFill"]
