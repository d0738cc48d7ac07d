"""Where a run on many machines takes place, and how it is spread."""

from __future__ import annotations

import msgspec

from venire.runner.options import Count


class RayOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which Ray cluster works, and with how many processes."""

    address: str = ""
    """The cluster: `auto` for the one that this machine is part of, or `host:port`; empty starts one on this machine,
    unless the variable RAY_ADDRESS names one."""
    workers: Count | None = None
    """How many processes ask judges; without it, one for each machine of the cluster."""
    models: Count = 1
    """How many processes run each local model; each of them loads it."""
