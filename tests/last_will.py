"""What is to be done when a process is gone, however it went: a kill with -9 runs no fixture to its end."""

from __future__ import annotations

import subprocess
from typing import Any


class LastWill:
    """A command that is run as soon as this process ends, or is told to."""

    def __init__(self, script: str, *arguments: str, **options: Any) -> None:
        """Take a shell script with its arguments; `options` are those of `Popen`."""
        # The other end of its input is held by this process alone, and closed by the kernel at the latest.
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", f"cat; {script}", "sh", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the others.
            **options,
        )

    def execute(self) -> None:
        """Do it now."""
        self._process.communicate()

    def revoke(self) -> None:
        """Never do it."""
        self._process.kill()
        self._process.communicate()
