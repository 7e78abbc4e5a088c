"""The names that a leaf finds in its globals, for linters; nothing of this goes into a rubric."""

from typing import Any

ppt_diff: Any = None
original_ppt_path: str = ""
modified_ppt_path: str = ""
original_ppt_screenshots: Any = ()
modified_ppt_screenshots: Any = ()
vlm_call: Any = None
