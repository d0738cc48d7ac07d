"""Judge model outputs with juries you can audit.

The names below are the public face; each is imported when it is first used, so that `import venire` is quick.

>>> import venire
>>> protocol = venire.find_protocol("drift-sample")
>>> judgement = venire.check("I would rather not judge this.", None, protocol)
>>> judgement.status.value, [flag.value for flag in judgement.flags]
('invalid', ['UNPARSABLE_OUTPUT', 'JUDGE_REFUSAL_OR_EVASION'])
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from venire.client import Client
    from venire.config import load_settings
    from venire.domain.judgement import Evidence, EvidenceLevel, Judgement, Status
    from venire.domain.protocol import EvalProtocol
    from venire.domain.sample import Bundle, Sample
    from venire.errors import VenireError
    from venire.inputs.reader import read_samples
    from venire.ledger.location import open_ledger
    from venire.protocols.catalogue import find_protocol
    from venire.validation.check import Checker, check, check_all
    from venire.version import __version__
    from venire.workflows.run import run

_HOMES = {
    "Bundle": "venire.domain.sample",
    "Checker": "venire.validation.check",
    "Client": "venire.client",
    "EvalProtocol": "venire.domain.protocol",
    "Evidence": "venire.domain.judgement",
    "EvidenceLevel": "venire.domain.judgement",
    "Judgement": "venire.domain.judgement",
    "Sample": "venire.domain.sample",
    "Status": "venire.domain.judgement",
    "VenireError": "venire.errors",
    "__version__": "venire.version",
    "check": "venire.validation.check",
    "check_all": "venire.validation.check",
    "find_protocol": "venire.protocols.catalogue",
    "load_settings": "venire.config",
    "open_ledger": "venire.ledger.location",
    "read_samples": "venire.inputs.reader",
    "run": "venire.workflows.run",
}

__all__ = [
    "Bundle",
    "Checker",
    "Client",
    "EvalProtocol",
    "Evidence",
    "EvidenceLevel",
    "Judgement",
    "Sample",
    "Status",
    "VenireError",
    "__version__",
    "check",
    "check_all",
    "find_protocol",
    "load_settings",
    "open_ledger",
    "read_samples",
    "run",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'venire' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
