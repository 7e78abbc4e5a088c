"""Is this rubric right? What can be told of it before it judges anybody: see docs/check.md."""
