"""A judge that repeats what it is told: all that a third-party provider needs."""

from venire.judges.provider import Reply, Request


def create(options):
    """Make the judge from the options in the configuration."""
    return Parrot(options.get("prefix", ""))


class Parrot:
    """Replies with the user message."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    async def ask(self, request: Request) -> Reply:
        """Repeat."""
        return Reply(self._prefix + request.user)

    async def close(self) -> None:
        """Let go of nothing."""
