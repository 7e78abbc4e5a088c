"""The closed list of what may differ in a deck's XML and that nobody can see, each entry with its reason.

What is not here is never called invisible: it is a change, with a word or as "other". Names are local names; an
element's tag is given as "c:..." where charts mean something else by it.
"""

from __future__ import annotations

# Attribute -> why nobody sees it. Of any element.
MARKS = {
    "dirty": "PowerPoint's note that spelling is to be checked again",
    "err": "PowerPoint's note that a word is not in the dictionary",
    "smtClean": "PowerPoint's note that smart tags were looked for",
    "smtId": "the number of a smart tag, which no version shows any more",
    "noProof": "whether spelling is checked",
    "lang": "the language that spelling is checked in; comes with whatever keyboard was used",
    "altLang": "the language of the other keyboard",
}
# (element, attribute) -> why.
IDENTITIES = {
    ("cNvPr", "id"): "a number; what refers to it is compared by the shape that it means",
    ("fld", "id"): "a field is told by its type",
    ("nvPr", "userDrawn"): "whether a placeholder was drawn by hand",
    ("blip", "cstate"): "how the picture was compressed when it was last saved",
    ("sldLayout", "userDrawn"): "whether a layout was made by hand",
    ("sldLayout", "preserve"): "whether PowerPoint deletes a layout that nothing uses",
    ("sldMaster", "preserve"): "whether PowerPoint deletes a master that nothing uses",
    ("sldLayoutId", "id"): "a number; a layout is told by its name",
    ("dataModelExt", "relId"): "a relationship id of the slide's, in a part that is not the slide",
    ("dataModelExt", "minVer"): "which version may read the drawing",
}
# Element -> why: left out with all in it.
ELEMENTS = {
    "creationId": "an identity for working together",
    "rowId": "an identity for working together",
    "colId": "an identity for working together",
    "uniqueId": "an identity of a chart's series or point",
    "modId": "a number for working together that each save changes",
    "sldGuideLst": "lines that help while one draws",
    "notesGuideLst": "lines that help while one draws",
    "useLocalDpi": "whether a picture is scaled for this screen or for another one",
    "themeFamily": "where the theme came from",
    "c:printSettings": "how a chart's workbook is printed",
}
# Elements that say nothing where they hold nothing: reading a property with python-pptx leaves some of them behind,
# and a writer may leave any of them out.
_EMPTY = (
    "pPr rPr endParaRPr defRPr lstStyle avLst extLst ext tcPr ln spLocks cNvSpPr cNvGraphicFramePr"
    " graphicFrameLocks grpSpLocks picLocks cxnSpLocks srcRect c:spPr c:extLst c:ext"
)
EMPTY = frozenset(_EMPTY.split()) | {f"lvl{level}pPr" for level in range(1, 10)}
# Not among them: the empty a:solidFill that python-pptx leaves where the colour of text is asked for. LibreOffice draws
# the text as before, PowerPoint in black (python-pptx's issues 1074 and 1111).
_TABLE_STYLE = "rtl firstRow firstCol lastRow lastCol bandRow bandCol"
_LOCKED = (
    "Grp Ungrp Select Rot ChangeAspect Move Resize EditPoints AdjustHandles ChangeArrowheads ChangeShapeType"
    " TextEdit Crop Drilldown"
)
# An attribute that is left out means this (ECMA-376's defaults). Only attributes that nothing is inherited for.
_FALSE, _TRUE = "0", "1"
DEFAULTS: dict[tuple[str, str], str] = {
    **{("xfrm", name): _FALSE for name in ("rot", "flipH", "flipV")},
    **{(tag, side): "0" for tag in ("srcRect", "fillRect", "fillToRect", "tileRect") for side in "ltrb"},
    **{(tag, name): _TRUE for tag in ("sld", "sldLayout") for name in ("showMasterSp", "showMasterPhAnim")},
    ("sld", "show"): _TRUE,
    ("cNvPr", "descr"): "",
    ("cNvPr", "title"): "",
    ("cNvPr", "hidden"): _FALSE,
    ("cNvSpPr", "txBox"): _FALSE,
    ("nvPr", "isPhoto"): _FALSE,
    ("ph", "type"): "obj",
    ("ph", "orient"): "horz",
    ("ph", "sz"): "full",
    ("ph", "idx"): "0",
    ("ph", "hasCustomPrompt"): _FALSE,
    **{("hlink", name): "" for name in ("id", "invalidUrl", "action", "tgtFrame", "tooltip")},
    ("hlink", "history"): _TRUE,
    ("hlink", "highlightClick"): _FALSE,
    ("hlink", "endSnd"): _FALSE,
    **{("tc", name): "1" for name in ("rowSpan", "gridSpan")},
    **{("tc", name): _FALSE for name in ("hMerge", "vMerge")},
    **{("tblPr", name): _FALSE for name in _TABLE_STYLE.split()},
    **{
        (f"{kind}Locks", f"no{name}"): _FALSE
        for kind in ("sp", "pic", "grpSp", "cxnSp", "graphicFrame")
        for name in _LOCKED.split()
    },
    ("transition", "advClick"): _TRUE,
    ("transition", "spd"): "fast",
    ("normAutofit", "fontScale"): "100000",
    ("normAutofit", "lnSpcReduction"): "0",
    ("cMediaNode", "vol"): "50000",
    ("cMediaNode", "mute"): _FALSE,
    ("cMediaNode", "numSld"): "1",
    ("cMediaNode", "showWhenStopped"): _TRUE,
}
