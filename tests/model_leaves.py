"""Leaves that ask a model, for small projects."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

from small_project import leaf

if TYPE_CHECKING:
    from small_project import Project

Json = dict[str, Any]


def asks(prompt: str = "Is it done? YES or NO.", *, name: str = "Asks", arguments: str = "") -> Json:
    """A leaf that asks llm_call and, as many in the wild do, takes any exception for a 0."""
    return leaf(
        name,
        "def compute_score():\n"
        "    try:\n"
        f"        answer = llm_call({prompt!r}{', ' if arguments else ''}{arguments})\n"
        "    except BaseException as error:\n"
        "        return f'swallowed: {error}', 0.0\n"
        "    return answer, 1.0 if 'YES' in answer else 0.0\n",
    )


def looks(prompt: str = "Is it blue? YES or NO.", *, slides: tuple[int, ...] = (1,), name: str = "Looks") -> Json:
    """The same about pictures of slides."""
    return leaf(
        name,
        "def compute_score():\n"
        "    try:\n"
        f"        pictures = [s.image_path for s in modified_ppt_screenshots if s.slide_number in {slides!r}]\n"
        f"        answer = vlm_call({prompt!r}, pictures)\n"
        "    except BaseException as error:\n"
        "        return f'swallowed: {error}', 0.0\n"
        "    return answer, 1.0 if 'YES' in answer else 0.0\n",
    )


# An agent could put pictures beside its deck: they count only where the user says so.
WITH_PICTURES = "--ppteval-output-pictures=yes"


def put_pictures(
    project: Project, task_id: str, colours: tuple[tuple[int, int, int], ...] = ((0, 0, 255), (255, 0, 0))
) -> None:
    """A picture of each slide beside the agent's deck: it counts with WITH_PICTURES."""
    from PIL import Image

    folder = project.pytester.path / "outputs" / task_id
    with zipfile.ZipFile(folder / "output.zip", "w") as archive:
        for number, colour in enumerate(colours, 1):
            picture = folder / f"{number}.png"
            Image.new("RGB", (1600, 900), colour).save(picture)
            archive.write(picture, f"Slide{number}.png")
            picture.unlink()


def results_of(project: Project, *arguments: str) -> Any:
    """The results of a run, held against their schema."""
    from importlib.resources import files

    import jsonschema

    project.run("--ppteval-json=results.json", *arguments)
    document = json.loads((project.pytester.path / "results.json").read_text("utf-8"))
    schema = json.loads(files("pytest_ppteval").joinpath("case/schema/results.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(schema).validate(document)
    return document


def leaves_of(document: Any, task: int = 0) -> dict[str, Any]:
    """The leaves of a task in results, by id."""
    return {node["leaf_id"]: node for node in document["tasks"][task]["scored_rubric"]["root"]["children"]}
