"""A judge's server on loopback that speaks both protocols, misbehaves on command and remembers what it saw.

In a test: `async with JudgeServer(script=[{"fault": "status", "status": 429, "retry_after": "2"}]) as server: ...`.
In a process of its own: `python -m judge_server --port 0 --script faults.json --log requests.jsonl`, run in tests/;
it prints its port and ends when it is killed or when the process that started it is gone.

A script is a list of steps, one for each request in the order of arrival; after the last one all requests are
answered well. A step is `{"fault": NAME, ...}`, with `"times": N` to repeat it. `{"steps": [...], "repeat": true}`
starts again from the first. The faults are the methods of `JudgeServer` whose names begin with `fault_`.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

from aiohttp import web

Step = dict[str, Any]
ReplyFor = Callable[[dict[str, Any]], str]

_OPENAI_USAGE = ("prompt_tokens", "completion_tokens")
FALLBACK_TEXT = "The quick brown fox jumps over the lazy dog."
DIMENSIONS = ("FORMAT_COMPLIANCE", "INSTRUCTION_COMPLIANCE", "SEMANTIC_FIDELITY", "COMPLETENESS")


class JudgeServer:
    """Answers `POST .../chat/completions`, `POST .../v1/messages` and `GET .../models`."""

    def __init__(
        self,
        script: list[Step] | Step | None = None,
        reply_for: ReplyFor | None = None,
        log: Path | None = None,
        port: int = 0,
    ) -> None:
        self.requests: list[dict[str, Any]] = []
        """Every request seen, as `path`, `headers` and `body`; empty if there is a log file instead."""
        self.count = 0
        """How many requests have arrived."""
        self.models: tuple[str, ...] = ()
        """The models that it lists; it has no list if there are none."""
        self.port = port
        self._steps = _steps(script)
        self._reply_for = reply_for or drift_sample_reply
        self._log_path = log
        self._closing = asyncio.Event()

    @property
    def base_url(self) -> str:
        """The address for both protocols."""
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        self._log = self._log_path.open("ab", buffering=0) if self._log_path else None
        app = web.Application(client_max_size=1 << 30)
        app.router.add_post("/{path:.*}", self._answer)
        app.router.add_get("/{path:.*models}", self._list_models)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._closing.set()
        await self._runner.cleanup()
        if self._log:
            self._log.close()

    async def _answer(self, http: web.Request) -> web.StreamResponse:
        seen = json.loads(await http.read())
        self.count += 1
        if self._log:
            line = {"number": self.count, "path": http.path, "body": seen}
            self._log.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        else:
            self.requests.append({"path": http.path, "headers": dict(http.headers), "body": seen})
        step = next(self._steps, {"fault": "none"})
        fault = getattr(self, f"fault_{step['fault']}")
        return await fault(http, seen, step)

    async def _list_models(self, http: web.Request) -> web.StreamResponse:
        if not self.models:
            raise web.HTTPNotFound
        return web.json_response({"object": "list", "data": [{"id": each} for each in self.models]})

    async def fault_none(self, http: web.Request, seen: Step, step: Step) -> web.StreamResponse:
        """Answer well; `text` replaces the reply, and `headers` go with it."""
        answer = self._ok(http, seen, step.get("text") or self._reply_for(seen))
        answer.headers.update(step.get("headers", {}))
        return answer

    async def fault_status(self, http: web.Request, seen: Step, step: Step) -> web.StreamResponse:
        """Answer with `status`, optionally `retry_after`, `message` and other `headers`."""
        headers = dict(step.get("headers", {}))
        if "retry_after" in step:
            headers["Retry-After"] = str(step["retry_after"])
        error = {"error": {"message": step.get("message", "as the script says"), "type": step.get("type", "error")}}
        return web.json_response(error, status=step["status"], headers=headers)

    async def fault_bill(self, http: web.Request, seen: Step, step: Step) -> web.StreamResponse:
        """Answer well, and bill `input` and `output` tokens for it, whatever they really were."""
        answer = json.loads(self._ok(http, seen, self._reply_for(seen)).body)  # type: ignore[arg-type]
        names = ("input_tokens", "output_tokens") if http.path.endswith("/messages") else _OPENAI_USAGE
        answer["usage"] = dict(zip(names, (step["input"], step["output"]), strict=True))
        return web.json_response(answer)

    async def fault_reset(self, http: web.Request, seen: Step, step: Step) -> web.StreamResponse:
        """Break the connection off before any answer."""
        assert http.transport is not None
        http.transport.abort()
        return web.Response()

    async def fault_reset_in_body(self, http: web.Request, seen: Step, step: Step) -> web.StreamResponse:
        """Break the connection off in the middle of the answer."""
        body = self._ok(http, seen, self._reply_for(seen)).body
        assert isinstance(body, bytes)
        response = web.StreamResponse(headers={"Content-Length": str(len(body)), "Content-Type": "application/json"})
        await response.prepare(http)
        await response.write(body[: len(body) // 2])
        assert http.transport is not None
        http.transport.abort()
        return response

    async def fault_stall(self, http: web.Request, seen: Step, step: Step) -> web.StreamResponse:
        """Send the head of an answer and nothing more until the server closes."""
        response = web.StreamResponse(headers={"Content-Length": "1000"})
        await response.prepare(http)
        await self._closing.wait()
        return response

    async def fault_slow(self, http: web.Request, seen: Step, step: Step) -> web.StreamResponse:
        """Send a good answer in ten pieces over `seconds`."""
        body = self._ok(http, seen, self._reply_for(seen)).body
        assert isinstance(body, bytes)
        response = web.StreamResponse(headers={"Content-Length": str(len(body)), "Content-Type": "application/json"})
        await response.prepare(http)
        size = -(-len(body) // 10)
        for start in range(0, len(body), size):
            await response.write(body[start : start + size])
            await asyncio.sleep(step.get("seconds", 0.1) / 10)
        return response

    async def fault_fenced(self, http: web.Request, seen: Step, step: Step) -> web.StreamResponse:
        """Wrap the reply in a Markdown fence."""
        return self._ok(http, seen, f"```json\n{self._reply_for(seen)}\n```")

    async def fault_truncated(self, http: web.Request, seen: Step, step: Step) -> web.StreamResponse:
        """Stop the reply half-way, as at the limit of tokens."""
        reply = self._reply_for(seen)
        return self._ok(http, seen, reply[: len(reply) // 2], finish="length")

    async def fault_malformed(self, http: web.Request, seen: Step, step: Step) -> web.StreamResponse:
        """Break the JSON of the reply with a trailing comma."""
        return self._ok(http, seen, self._reply_for(seen).rstrip().removesuffix("}") + ",}")

    async def fault_refusal(self, http: web.Request, seen: Step, step: Step) -> web.StreamResponse:
        """Refuse in the protocol's own way."""
        return self._ok(http, seen, "I cannot help with that.", finish="refusal")

    async def fault_wrong_model(self, http: web.Request, seen: Step, step: Step) -> web.StreamResponse:
        """Say that another model has answered."""
        return self._ok(http, {**seen, "model": step.get("model", "another-model")}, self._reply_for(seen))

    async def fault_oversized(self, http: web.Request, seen: Step, step: Step) -> web.StreamResponse:
        """Answer with a text of `bytes` characters (8 MiB unless told)."""
        return self._ok(http, seen, "x" * step.get("bytes", 8 << 20))

    async def fault_compressed(self, http: web.Request, seen: Step, step: Step) -> web.StreamResponse:
        """Answer with a text of `bytes` characters, squeezed by gzip."""
        body = self._ok(http, seen, "x" * step["bytes"]).body
        assert isinstance(body, bytes)
        headers = {"Content-Encoding": "gzip"}
        return web.Response(body=gzip.compress(body), headers=headers, content_type="application/json")

    async def fault_body(self, http: web.Request, seen: Step, step: Step) -> web.StreamResponse:
        """Answer 200 with `body` as it is."""
        return web.Response(body=step["body"].encode(), content_type="application/json")

    async def fault_not_http(self, http: web.Request, seen: Step, step: Step) -> web.StreamResponse:
        """Answer with bytes that are not HTTP."""
        assert http.transport is not None
        http.transport.write(b"\x00\x01 this is not HTTP\r\n\r\n")  # type: ignore[attr-defined]
        http.transport.close()
        return web.Response()

    async def fault_echo_key(self, http: web.Request, seen: Step, step: Step) -> web.StreamResponse:
        """Repeat the key in an error, as careless servers do."""
        key = http.headers.get("Authorization") or http.headers.get("x-api-key")
        return web.json_response({"error": {"message": f"bad key {key}"}}, status=step.get("status", 401))

    def _ok(self, http: web.Request, seen: Step, text: str, finish: str = "stop") -> web.Response:
        prompt_tokens, reply_tokens = len(prompt_text(seen)) // 4 + 1, len(text) // 4 + 1
        if http.path.endswith("/messages"):
            stop = {"stop": "end_turn", "length": "max_tokens"}.get(finish, finish)
            answer = {
                "id": "msg_1", "type": "message", "role": "assistant", "model": seen.get("model"),
                "content": [{"type": "thinking", "thinking": "..."}, {"type": "text", "text": text}],
                "stop_reason": stop, "usage": {"input_tokens": prompt_tokens, "output_tokens": reply_tokens},
            }  # fmt: skip
        else:
            refused = finish == "refusal"
            message = {"role": "assistant", "content": None if refused else text, "refusal": text if refused else None}
            answer = {
                "id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": seen.get("model"),
                "choices": [{"index": 0, "message": message, "finish_reason": "stop" if refused else finish}],
                "usage": {
                    "prompt_tokens": prompt_tokens, "completion_tokens": reply_tokens,
                    "total_tokens": prompt_tokens + reply_tokens,
                },
            }  # fmt: skip
        return web.Response(body=json.dumps(answer, ensure_ascii=False).encode(), content_type="application/json")


def prompt_text(seen: dict[str, Any]) -> str:
    """Return all text of a request of either protocol, in order."""
    parts = [seen.get("system") or ""]
    for message in seen.get("messages", ()):
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        parts.extend(block["text"] for block in blocks if block.get("type") == "text")
    return "\n".join(parts)


def judged_text(prompt: str) -> str:
    """Return what stands between the last two lines that are one and the same random fence."""
    lines = prompt.splitlines()
    fences = [number for number, line in enumerate(lines) if re.fullmatch(r"\W*\S*[0-9a-f]{12,}\W*", line)]
    if len(fences) < 2 or lines[fences[-2]] != lines[fences[-1]]:
        return FALLBACK_TEXT
    return "\n".join(lines[fences[-2] + 1 : fences[-1]]) or FALLBACK_TEXT


def drift_sample_reply(seen: dict[str, Any]) -> str:
    """Return a valid reply to a drift-sample request, quoting the judged text of its prompt."""
    prompt = prompt_text(seen)
    line = next((line.strip() for line in judged_text(prompt).splitlines() if line.strip()), FALLBACK_TEXT)
    quote = re.split(r"\.\.\.|…", line[:40])[0].strip() or FALLBACK_TEXT
    handles = re.findall(r'"output_id":\s*"([^"]+)"', prompt)
    reply = {
        "meta": {
            "judge_model": str(seen.get("model")), "target_model": "blind", "question_id": "blind",
            "prompt_variant": "blind", "output_id": handles[-1] if handles else "blind",
            "method": "cross_judge", "timestamp": "1970-01-01",
        },
        "scores": dict.fromkeys(DIMENSIONS, 2) | {"overall_score": 8},
        "verdict": "PASS",
        "flags": [],
        "evidence": [{"dimension": name, "quote": quote, "reason": "It says so."} for name in DIMENSIONS],
        "notes": "",
    }  # fmt: skip
    return json.dumps(reply, ensure_ascii=False)


def _steps(script: list[Step] | Step | None) -> Iterator[Step]:
    steps = script["steps"] if isinstance(script, dict) else script or []
    again = True
    while again:
        for step in steps:
            for _ in range(step.get("times", 1)):
                yield step
        again = bool(steps) and isinstance(script, dict) and bool(script.get("repeat"))


async def _serve(options: argparse.Namespace) -> None:
    script = json.loads(options.script.read_text()) if options.script else None
    async with JudgeServer(script, log=options.log, port=options.port) as server:
        print(server.port, flush=True)
        parent = os.getppid()
        while os.getppid() == parent:
            await asyncio.sleep(0.5)


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", type=Path)
    parser.add_argument("--log", type=Path)
    asyncio.run(_serve(parser.parse_args()))


if __name__ == "__main__":
    main()
