"""Which requests of a ledger were made under a protocol: a reply names it, and an attempt names its run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from venire.ledger.entry import Kind
from venire.ledger.store import Ledger
from venire.runner.task import is_probe


class AskedUnder:
    """The requests under one protocol; all of them if no protocol is named."""

    def __init__(self, ledger: Ledger, protocol: str) -> None:
        self._protocol = protocol
        opened = (entry.content for entry in ledger.read(kinds=[Kind.RUN_OPENED]))
        self._other_runs = {each["run"] for each in opened if each["protocol"] != protocol and each.get("run")}

    def holds(self, request: Mapping[str, Any]) -> bool:
        """Tell whether the content of a reply or an attempt is of a request under the protocol.

        An attempt of a version that recorded no run is taken for one. Requests of a voir dire never are.
        """
        task = request["task"]
        if is_probe(request["repeat"] if "repeat" in request else task["repeat"]):
            return False
        if not self._protocol:
            return True
        if isinstance(task, Mapping):
            return bool(task["protocol_digest"] == self._protocol)
        return request.get("run") not in self._other_runs
