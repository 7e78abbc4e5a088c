"""The tools: what the model is told of them, and what happens when it uses one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_ppteval.agent.builtin.pictures import NoPictureError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_ppteval.agent.builtin.confined import Confined
    from pytest_ppteval.agent.builtin.pictures import Pictures
    from pytest_ppteval.agent.builtin.task import Task

Json = dict[str, Any]
_NUMBER = {"number": {"type": "integer", "minimum": 1, "description": "the slide's place, from 1"}}
_LONGEST_CODE = 400_000


def _tool(name: str, description: str, properties: Json | None = None, required: tuple[str, ...] = ()) -> Json:
    schema = {
        "type": "object",
        "properties": properties or {},
        "required": list(required),
        "additionalProperties": False,
    }
    return {"name": name, "description": description, "input_schema": schema}


TOOLS: tuple[Json, ...] = (
    _tool("list_slides", "All slides of the deck: number, title, layout, and the names and kinds of their shapes."),
    _tool(
        "read_slide",
        "One slide: its shapes with place and size, text, tables, charts, and the speaker notes.",
        _NUMBER,
        ("number",),
    ),
    _tool("see_slide", "A picture of one slide as the deck is now.", _NUMBER, ("number",)),
    _tool(
        "run_python",
        "Run Python code; python-pptx, lxml and Pillow are there. Each call is a fresh process in the workspace "
        "folder: variables don't last, files do. The name OUTPUT holds the deck's path: open it, change it, save it. "
        "No network, no other programs, no files elsewhere. You get back what the code printed, and its exception.",
        {"code": {"type": "string", "description": "the program"}},
        ("code",),
    ),
    _tool(
        "finish",
        "End the work. The deck at OUTPUT is what is handed in.",
        {
            "summary": {"type": "string", "description": "what was done, for the person who asked"},
            "completed": {"type": "boolean", "description": "false if the task could not be done; true if left out"},
        },
        ("summary",),
    ),
)


class Finish(NamedTuple):
    """The model has ended the run."""

    summary: str
    completed: bool


class ToolError(Exception):
    """A use of a tool that failed; its text goes back to the model."""


class Toolbox:
    """Uses tools on the task's deck."""

    def __init__(self, task: Task, confined: Confined, pictures: Pictures) -> None:
        self._task = task
        self._confined = confined
        self._pictures = pictures
        self.finish: Finish | None = None
        self._uses: dict[str, Callable[[Json], str | list[Json]]] = {
            "list_slides": self._list,
            "read_slide": self._read,
            "see_slide": self._see,
            "run_python": self._run,
            "finish": self._finish,
        }

    def use(self, call: Json) -> Json:
        """The tool_result for a tool_use block. Raises Trouble where the means are missing."""
        result: Json = {"type": "tool_result", "tool_use_id": call.get("id")}
        try:
            use = self._uses.get(str(call.get("name")))
            if use is None:
                raise ToolError(f"there is no tool {call.get('name')!r}: use one of {', '.join(self._uses)}")
            given = call.get("input")
            if not isinstance(given, dict):
                raise ToolError("the tool's input is not an object")
            result["content"] = use(given)
        except ToolError as error:
            result |= {"content": str(error), "is_error": True}
        return result

    def close(self) -> None:
        """End what was started."""
        self._pictures.close()

    def _list(self, given: Json) -> str:  # noqa: ARG002 - as the table of tools has it
        return self._confine({"do": "list", "deck": str(self._deck())})

    def _read(self, given: Json) -> str:
        return self._confine({"do": "read", "deck": str(self._deck()), "number": _number(given)})

    def _see(self, given: Json) -> list[Json]:
        try:
            return self._pictures.of(self._deck(), _number(given))
        except NoPictureError as error:
            raise ToolError(str(error)) from None

    def _run(self, given: Json) -> str:
        code = _text(given, "code")
        if len(code) > _LONGEST_CODE:
            raise ToolError(f"the code has {len(code):,} characters; at most {_LONGEST_CODE:,} are run")
        output = self._task.output
        return self._confine({"do": "code", "code": code, "output": None if output is None else str(output)})

    def _finish(self, given: Json) -> str:
        completed = given.get("completed", True)
        if not isinstance(completed, bool):
            raise ToolError("completed must be true or false")
        self.finish = Finish(_text(given, "summary"), completed)
        return "The run has ended."

    def _deck(self) -> Path:
        if self._task.output is None:
            raise ToolError("this task is about no deck: use run_python for the files of the workspace")
        return self._task.output

    def _confine(self, job: Json) -> str:
        done = self._confined.run(job)
        if not done.good:
            raise ToolError(done.text)
        return done.text


def _number(given: Json) -> int:
    number = given.get("number")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise ToolError(f"number is {number!r}: give the slide's place as a whole number, from 1")
    return number


def _text(given: Json, name: str) -> str:
    text = given.get(name)
    if not isinstance(text, str) or not text.strip():
        raise ToolError(f"{name} is missing: give it as text")
    return text
