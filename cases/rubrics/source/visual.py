"""Questions to a vision model about pictures of slides."""

import re

from leaf_globals import vlm_call


def asked(question, pictures):
    """The model's answer and its score, 1 for YES and 0 for NO; `pictures` are paths."""
    if not pictures:
        from ppteval.verify.ppt.verifier import ScreenshotsUnavailableError

        raise ScreenshotsUnavailableError("there is no picture of the slide")
    answer = vlm_call(question, pictures)
    word = re.match(r"\W*(YES|NO)(?![A-Za-z])", answer, re.IGNORECASE)
    if word is None:
        # Not a 0: the model has said nothing of the slide.
        raise ValueError(f"the model answered neither YES nor NO: {answer[:200]!r}")
    return answer.strip(), float(word[1].upper() == "YES")
