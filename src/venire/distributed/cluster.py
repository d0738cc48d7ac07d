"""A Ray cluster: joined where there is one, started on this machine where there is none."""

from __future__ import annotations

import importlib
import os
import pickle
import signal
import socket
import threading
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

import msgspec

from venire.errors import ConfigError
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


STORE_BYTES = 256 * 1024 * 1024
"""How much memory a cluster on this machine sets aside for objects; ours are small."""
ANSWER_SECONDS = 5.0
"""How long a cluster may take to accept a connection; Ray itself would try for many minutes."""
GREETING_SECONDS = 30.0
"""How long it may take to answer a greeting; a busy one is slow."""

_LOCAL = "local"
# RFC 9113, 3.4: a client of HTTP/2, which Ray speaks, begins with these words and a frame of settings (type 4), and so
# does the server, with a frame of its own.
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
_SETTINGS_FRAME = b"\x04"
_HEAD_BYTES = 9


@contextmanager
def joined(
    address: str = "", environment: MutableMapping[str, str] = os.environ, *, least_cpus: int = 0
) -> Iterator[Any]:
    """Join the cluster at an address, or start one, and give the `ray` module; leave it, or end it, at the end.

    One that is started has as many places for processes as the machine has processors, and at least `least_cpus`. A
    process that is part of a cluster already stays in it. Raises `ConfigError` if Ray is not installed, or nobody
    answers at the address.
    """
    place = address or environment.get("RAY_ADDRESS", "") or _LOCAL
    if place not in (_LOCAL, "auto"):
        _check_answers(place, is_encrypted=environment.get("RAY_USE_TLS", "0").lower() in ("1", "true"))
    with _settings(place, environment):
        ray = _import_ray()
        is_ours = not ray.is_initialized()
        if is_ours:
            _init(ray, place, least_cpus)
    try:
        yield ray
    finally:
        if is_ours:
            ray.shutdown()


def node_count(ray: Any) -> int:
    """Return how many machines of the cluster have processors to work with."""
    return max(1, sum(1 for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")))


@contextmanager
def _settings(place: str, environment: MutableMapping[str, str]) -> Iterator[None]:
    """Set the variables that Ray reads when it is imported and started, unless the user has, and take them back."""
    settings = {
        "RAY_USAGE_STATS_ENABLED": "0",  # Ray would report to its makers otherwise.
        "RAY_DEDUP_LOGS_SKIP_REGEX": "^",  # And write among our results what has become of its processes: we say it.
    }
    if place == _LOCAL:
        # What is started for this machine need not listen to others, nor give way to other work.
        settings |= {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_worker_niceness": "0"}
    ours = {name: value for name, value in settings.items() if name not in environment}
    environment.update(ours)
    try:
        yield
    finally:
        for name in ours:
            environment.pop(name, None)


def _import_ray() -> Any:
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise ConfigError("error.ray.not_installed") from error


def _init(ray: Any, place: str, least_cpus: int) -> None:
    new: dict[str, Any] = {}
    if place == _LOCAL:
        cpus = max(os.cpu_count() or 1, least_cpus)
        new = {"object_store_memory": STORE_BYTES, "include_dashboard": False, "num_cpus": cpus}
    with _signals_kept():
        try:
            ray.init(address=place, log_to_driver=False, logging_level="ERROR", **new)
        except (ConnectionError, ValueError, ray.exceptions.RayError) as error:
            raise ConfigError("error.ray.cannot_join", where=place, reason=_first_line(error)) from error
        except RuntimeError as error:  # Another version of Ray or Python there.
            raise ConfigError("error.ray.other_versions", where=place, reason=" ".join(str(error).split())) from error


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Put the handler of SIGTERM back that Ray replaces."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _check_answers(place: str, *, is_encrypted: bool) -> None:
    host, separator, port = place.rpartition(":")
    if "://" in place or not separator or not port.isdigit():
        raise ConfigError("error.ray.address", where=place)
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWER_SECONDS) as connection:
            is_ray = is_encrypted or _greets(connection)
    except (OSError, OverflowError) as error:
        raise ConfigError("error.ray.no_answer", where=place, reason=str(error)) from None
    if not is_ray:
        raise ConfigError("error.ray.not_ray", where=place)


def _greets(connection: socket.socket) -> bool:
    connection.settimeout(GREETING_SECONDS)
    connection.sendall(_GREETING)
    with connection.makefile("rb") as answer:  # One that comes in pieces is waited for.
        return answer.read(_HEAD_BYTES)[3:4] == _SETTINGS_FRAME


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def pack(message: object) -> bytes:
    """Pack a message."""
    return pickle.dumps(message, protocol=5)


def unpack(data: bytes) -> Any:
    """Unpack a message of this run's own processes, which Ray would do in the same way."""
    return pickle.loads(data)  # noqa: S301
