"""An agent's trace: one model, a reader a format, and the alignment of two traces.

Ground floor: takes bytes or paths, gives frozen data, needs nothing but the standard library.
"""

from pytest_ppteval.trace.model import Diagnostic, Message, Status, Step, Trace, TraceError, Usage
from pytest_ppteval.trace.read import detect, formats, read_trace, read_traces

__all__ = [
    "Diagnostic",
    "Message",
    "Status",
    "Step",
    "Trace",
    "TraceError",
    "Usage",
    "detect",
    "formats",
    "read_trace",
    "read_traces",
]
