"""see_slide: the picture of a slide as the deck is now. The renderer reads the deck in its own confined process."""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_ppteval.picture.renderers import NoRenderer, choose

if TYPE_CHECKING:
    from pytest_ppteval.agent.builtin.task import Options
    from pytest_ppteval.picture.studio import Studio
    from pytest_ppteval.sandbox.confine.policy import Plan


class NoPictureError(Exception):
    """There is no picture of a slide; its text is the reason."""


class Pictures:
    """Draws slides. The renderer is started at the first picture."""

    def __init__(self, options: Options, plan: Plan) -> None:
        self._choice = options.renderer
        self._plan = plan
        self._studio: Studio | None = None

    def of(self, deck: Path, number: int) -> list[dict[str, Any]]:
        """Content blocks: a line of text and the picture. Raises NoPictureError."""
        from pytest_ppteval.model.images import BadImageError, fit
        from pytest_ppteval.picture.files import file_name
        from pytest_ppteval.picture.studio import PicturesUnavailable

        studio = self._started()
        try:
            planned = studio.open(deck)
            if not any(slide.number == number for slide in planned.slides):
                raise NoPictureError(f"there is no slide {number}: the deck has {len(planned.slides)}")
            with tempfile.TemporaryDirectory(prefix="ppteval-agent-") as folder:
                why = studio.draw(planned, [number], Path(folder)).get(number)
                if why is not None:
                    raise NoPictureError(f"slide {number} can't be drawn: {why}")
                data, kind = fit((Path(folder) / file_name(number)).read_bytes())
        except (PicturesUnavailable, BadImageError, OSError) as error:
            raise NoPictureError(str(error)) from None
        encoded = base64.b64encode(data).decode("ascii")
        return [
            {"type": "text", "text": f"slide {number}, drawn by {studio.renderer}"},
            {"type": "image", "source": {"type": "base64", "media_type": kind, "data": encoded}},
        ]

    def close(self) -> None:
        """End the renderer."""
        if self._studio is not None:
            self._studio.close()
            self._studio = None

    def _started(self) -> Studio:
        if self._studio is None:
            from pytest_ppteval.picture.studio import Studio

            renderer = choose(self._choice)
            if isinstance(renderer, NoRenderer):
                raise NoPictureError(f"no renderer draws slides here: {renderer.reason}")
            self._studio = Studio(renderer, None, self._plan)
        return self._studio
