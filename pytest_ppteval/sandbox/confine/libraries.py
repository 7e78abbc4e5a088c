"""What confined Python code must be able to read, by path. Runs in the sandbox only."""

from __future__ import annotations

import importlib.util
import os
import sys
import sysconfig

assert sys.platform != "win32"  # for mypy: this module is for systems that fork

from pytest_ppteval.sandbox.confine import linux, macos  # noqa: E402 - see above


def libraries() -> dict[str, int]:
    """Path -> rights (Landlock's): Python, its libraries, shared libraries, fonts, time zones and a few devices."""
    places = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    places |= {os.path.join(sys.base_prefix, "lib"), os.path.join(sys.base_prefix, "lib64")}
    for package in ("pptx", "lxml", "PIL", "numpy", "pytest_ppteval", "typing_extensions", "xlsxwriter"):
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            # The package alone, not the directory that holds it: that may be somebody's checkout.
            places.add(os.path.dirname(spec.origin) if spec.submodule_search_locations else spec.origin)
    places |= {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache"}
    places |= {"/etc/localtime", "/etc/mime.types", "/usr/share/zoneinfo", "/usr/share/fonts"}
    if sys.platform == "darwin":
        places |= set(macos.LIBRARIES)
    rights = {os.path.realpath(place): linux.READ for place in places if place and os.path.exists(place)}
    rights["/dev/null"] = linux.READ_FILE | linux.WRITE_FILE
    rights["/dev/zero"] = rights["/dev/urandom"] = linux.READ_FILE
    return rights
