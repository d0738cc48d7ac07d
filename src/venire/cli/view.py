"""`venire view`: look at outputs on this machine, with what every judge said of them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.language import language
from venire.cli.arguments.sources import locate_source, table_choices, table_options
from venire.cli.serve import require_server
from venire.cli.terminal.printing import tell
from venire.errors import UsageError, os_reason


@click.command(cls=HelpedCommand)
@click.argument("source", default="venire.yaml", metavar="[LEDGER|CONFIG|TABLE|CHECK|REPORT]")
@click.option("--mark-as", metavar="NAME", default="")
@click.option("--port", type=click.IntRange(1, 65535))
@table_options
def view(source: str, mark_as: str, port: int | None, **options: Any) -> None:
    """Open a page on this machine that shows every output with its judgements."""
    require_server()
    from venire.reports.report import Choices
    from venire.server.viewer.app import OneReader, create_view_app, listen_on_loopback, serve_view
    from venire.server.viewer.room import OutputsRoom
    from venire.workflows.ledgers import shown_location
    from venire.workflows.outputs.opening import mark_writer, opened_outputs

    location = locate_source(source).location
    with opened_outputs(location, Choices(**table_choices(options))) as outputs:
        if mark_as and not outputs.keeps_marks:
            raise UsageError("error.view.marks_on_file", where=location)
        try:
            listening = listen_on_loopback(port or 0)
        except OSError as error:
            raise UsageError(
                "error.server.cannot_listen", host="127.0.0.1", port=port, problem=os_reason(error)
            ) from None
        chosen = listening.getsockname()[1]
        reader = OneReader(mark_as)
        room = OutputsRoom(lambda: outputs, shown_location(location), mark_writer(location) if mark_as else None)
        tell("view.opened", source=room.name, address=f"http://127.0.0.1:{chosen}/open/{reader.token}")
        with suppress(KeyboardInterrupt):  # The usual way to end it.
            serve_view(create_view_app(room, reader, chosen, language()), listening)
