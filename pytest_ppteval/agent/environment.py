"""Which of the user's variables an agent sees."""

from __future__ import annotations

import sys
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_ppteval.agent.spec import AgentSpec

# To find programs, the login's folder, the language, certificates and the proxy. No key, no token, no option of
# Python's or pytest's is among them.
ALLOWED = (
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TZ",
    "TERM",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
)
# Without these nothing starts there.
_WINDOWS = ("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA")
# The Messages API's own, for the built-in agent.
CLAUDE = ("ANTHROPIC_*",)


def environment(
    spec: AgentSpec, given: Mapping[str, str], own: Mapping[str, str], filled: Mapping[str, str]
) -> dict[str, str]:
    """The agent's variables: what is allowed or passed of `given`, then `own`, which are the run's, then `filled`.

    filled: the spec's env_set with the places filled in.
    """
    allowed = (*ALLOWED, *(_WINDOWS if sys.platform == "win32" else ()), *spec.env_pass)
    if spec.kind == "claude":
        allowed += CLAUDE
    kept = {name: value for name, value in given.items() if any(fnmatchcase(name, one) for one in allowed)}
    return kept | dict(own) | dict(filled)
