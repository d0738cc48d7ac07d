"""`venire prompt`: exactly what would be sent to a judge."""

from __future__ import annotations

import json
from pathlib import Path

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.settings import load
from venire.cli.terminal.printing import echo, tell


@click.command(cls=HelpedCommand)
@click.argument("sample")
@click.option("--judge", required=True)
@click.option("--config", type=click.Path(path_type=Path), default=Path("venire.yaml"), show_default=True)
@click.option("--schema", is_flag=True)
def prompt(sample: str, judge: str, config: Path, schema: bool) -> None:
    """Show exactly what would be sent to a judge about a sample."""
    from venire.workflows.judge import show_question

    question = show_question(load(config, need_keys=False), judge, sample)
    echo(f"[system]\n{question.request.system}\n\n[user]\n{question.request.user}")
    for attachment in question.request.attachments:
        tell("prompt.attached", name=attachment.name, kind=attachment.media_type, size=len(attachment.data))
    if schema:
        echo(f"\n[schema]\n{json.dumps(question.request.reply_schema, ensure_ascii=False, indent=2)}")
    if question.leaks:
        tell("prompt.leaks", count=question.leaks, err=True)
