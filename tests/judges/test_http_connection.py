"""Connections as a server sees them: what is sent, what is made of any answer, and when the line is dropped."""

import asyncio
import gzip
import re
from contextlib import asynccontextmanager

import pytest

from venire.errors import ConfigError
from venire.judges.http import pool
from venire.judges.http.connection import Connection, Exchange
from venire.judges.http.sender import HttpSender

ANSWER = b'{"fine": true}'
WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(ANSWER), ANSWER)
PACKED = gzip.compress(ANSWER, mtime=0)


class Server:
    """Gives one answer after another, whatever is asked; one that is None never comes. `+` closes behind an answer."""

    def __init__(self, answers):
        self.answers = list(answers)
        self.seen = []
        self.port = self.connections = self.ended = 0
        self.asked, self.lost = asyncio.Event(), asyncio.Event()
        self.tasks = []

    async def serve(self, reader, writer):
        self.tasks.append(asyncio.current_task())
        self.connections += 1
        try:
            while head := await self._head(reader):
                length = re.search(rb"Content-Length: (\d+)", head)
                self.seen.append((head, await reader.readexactly(int(length[1]) if length else 0)))
                self.asked.set()
                answer = self.answers.pop(0)
                if answer is None:
                    await reader.read()
                    break
                writer.write(answer.removesuffix(b"+"))
                if answer.endswith(b"+"):
                    break
        except ConnectionError:
            pass
        finally:
            self.ended += 1
            self.lost.set()
            writer.close()

    async def _head(self, reader):
        try:
            return await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return b""


@asynccontextmanager
async def asking(*answers, path="/judge", headers=None, **options):
    options = {"key": None, "timeout_seconds": 20.0, "max_reply_bytes": 1000, "max_connections": 4, **options}
    server = Server(answers)
    # What is waited for and never comes must fail a test, not hang it.
    async with asyncio.timeout(30), await asyncio.start_server(server.serve, "127.0.0.1", 0) as listening:
        port = server.port = listening.sockets[0].getsockname()[1]
        sender = HttpSender(f"http://127.0.0.1:{port}{path}", headers or {}, **options)
        try:
            yield sender, server
        finally:
            await sender.close()
            for task in server.tasks:
                task.cancel()
            await asyncio.gather(*server.tasks, return_exceptions=True)


def ask(*answers, times=1, **options):
    """Ask some times, one after another; returns the last answer and the server."""

    async def run():
        async with asking(*answers, **options) as (sender, server):
            for _ in range(times):
                answer = await sender.post({"a": 1})
            return answer, server

    return asyncio.run(run())


def test_a_request_says_who_asks_for_what_and_how_long_it_is():
    _, server = ask(WHOLE, path="/v1/judge it?x=1 2", headers={"X-Team": "blue", "user-agent": "mine"})
    head, body = server.seen[0]
    lines = head.decode().split("\r\n")
    assert lines[0] == "POST /v1/judge%20it?x=1%202 HTTP/1.1"
    assert "X-Team: blue" in lines
    assert "user-agent: mine" in lines
    assert "Accept-Encoding: gzip" in lines
    assert sum(line.lower().startswith("user-agent") for line in lines) == 1
    assert any(re.fullmatch(r"Host: 127\.0\.0\.1:\d+", line) for line in lines)
    assert body == b'{"a":1}'


@pytest.mark.parametrize("header", [("A", "b\r\nC: d"), ("A b", "c"), ("Content-Length", "3"), ("A", "字")])
def test_a_header_that_http_cannot_say_is_refused_before_anything_is_sent(header):
    with pytest.raises(ConfigError, match="cannot be sent"):
        HttpSender(
            "http://127.0.0.1:9/",
            dict([header]),
            key=None,
            timeout_seconds=1,
            max_reply_bytes=1,
            max_connections=1,
        )


@pytest.mark.parametrize(
    "wire",
    [
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n%b\r\n9\r\n%b\r\n0\r\n\r\n"
        % (ANSWER[:5], ANSWER[5:]),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\ne\r\n%b\r\n0\r\nX-Sum: 1\r\n\r\n" % ANSWER,
        b"HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n" + WHOLE,
        b"HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" + WHOLE,
        b"HTTP/1.1 200 OK\r\n\r\n" + ANSWER + b"+",
        b"HTTP/1.0 200 OK\r\nContent-Length: 14\r\n\r\n" + ANSWER + b"+",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: GZIP\r\nContent-Length: %d\r\n\r\n%b" % (len(PACKED), PACKED),
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + PACKED + b"+",
    ],
)
def test_an_answer_is_whole_however_it_is_framed(wire):
    answer, _ = ask(wire)
    assert (answer.status, answer.error, answer.body, answer.cut) == (200, None, ANSWER, False)


@pytest.mark.parametrize(
    ("wire", "kind", "words", "status", "body"),
    [
        (b"+", "connection", "the server closed the connection", None, b""),
        (b"HTTP/1.1 200 OK\r\nContent-Le+", "connection", "the server closed the connection", None, b""),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{+", "connection", "ended before it was complete", 200, b"{"),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n+",
            "connection",
            "ended before it was complete",
            200,
            b"{",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 15\r\n\r\n" + PACKED[:15],
            "connection",
            "ended before it was complete",
            200,
            ANSWER[:4],
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
            "connection",
            "ended before it was complete",
            200,
            b"",
        ),
        (b"SSH-2.0-x\r\n+", "malformed", "not HTTP", None, b""),
        (b"HTTP/1.1 101 Switch\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "malformed", "not HTTP", None, b""),
        (b"HTTP/1.1 200 OK\r\nA: " + b"x" * 70_000, "malformed", "not HTTP", None, b""),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc+", "malformed", "not HTTP", None, b""),
    ],
)
def test_an_answer_that_is_not_whole_says_how_far_it_came(wire, kind, words, status, body):
    answer, _ = ask(wire)
    assert (answer.error_kind, answer.status) == (kind, status)
    assert words in answer.error
    assert answer.body == body


def test_a_body_over_the_limit_is_cut_and_the_line_is_dropped():
    async def run():
        endless = (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"3e8\r\n" + b"x" * 1000 + b"\r\n1\r\ny\r\n"
        )
        async with asking(endless) as (sender, server):
            answer = await sender.post({})
            await server.lost.wait()
            return answer

    answer = asyncio.run(run())
    assert (answer.status, answer.cut, answer.error) == (200, True, None)
    assert answer.body == b"x" * 1000


def test_a_request_that_is_cancelled_hangs_up_and_the_next_one_is_answered():
    async def run():
        async with asking(None, WHOLE) as (sender, server):
            asked = asyncio.create_task(sender.post({}))
            await server.asked.wait()
            asked.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asked
            await server.lost.wait()
            assert server.ended == 1
            return await sender.post({})

    assert asyncio.run(run()).body == ANSWER


def test_an_answer_that_takes_too_long_hangs_up():
    async def run():
        async with asking(None, timeout_seconds=0.05) as (sender, server):
            answer = await sender.post({})
            await server.lost.wait()
            return answer

    answer = asyncio.run(run())
    assert (answer.error_kind, answer.error) == ("timeout", "no whole answer within 0.05 s")


def test_a_connection_is_used_again_and_again():
    _, server = ask(*[WHOLE] * 5, times=5)
    assert (server.connections, len(server.seen)) == (1, 5)


@pytest.mark.parametrize(
    "first",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 14\r\n\r\n" + ANSWER,
        b"HTTP/1.0 200 OK\r\nContent-Length: 14\r\n\r\n" + ANSWER,
        WHOLE + b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nanother",
    ],
)
def test_a_connection_that_is_spent_or_says_more_than_it_was_asked_is_not_used_again(first):
    answer, server = ask(first, WHOLE, times=2)
    assert answer.body == ANSWER
    assert server.connections == 2


def test_a_connection_that_nobody_has_used_for_long_is_not_trusted(monkeypatch):
    monkeypatch.setattr(pool, "IDLE_SECONDS", 0.0)
    _, server = ask(WHOLE, WHOLE, times=2)
    assert server.connections == 2


def test_no_more_connections_are_open_than_may_be():
    async def run():
        async with asking(*[WHOLE] * 9, max_connections=2) as (sender, server):
            answers = await asyncio.gather(*(sender.post({}) for _ in range(9)))
            return answers, server

    answers, server = asyncio.run(run())
    assert [answer.body for answer in answers] == [ANSWER] * 9
    assert server.connections <= 2


def test_whoever_waits_for_a_connection_waits_no_longer_than_for_an_answer():
    async def run():
        async with asking(None, None, None, max_connections=1, timeout_seconds=0.05) as (sender, _):
            return await asyncio.gather(*(sender.post({}) for _ in range(3)))

    assert [answer.error_kind for answer in asyncio.run(run())] == ["timeout"] * 3


def test_a_redirect_is_not_followed_and_the_key_goes_nowhere_else():
    async def run():
        async with asking(WHOLE) as (_, elsewhere):
            away = b"HTTP/1.1 307 Moved\r\nLocation: http://127.0.0.1:%d/\r\nContent-Length: 0\r\n\r\n" % elsewhere.port
            async with asking(away, headers={"Authorization": "Bearer sk-0123456789ab"}) as (sender, server):
                answer = await sender.post({})
            return answer, server, elsewhere

    answer, server, elsewhere = asyncio.run(run())
    assert (answer.status, answer.error_kind) == (307, "bad_request")
    assert "redirect, which is not followed" in answer.error
    assert (len(server.seen), len(elsewhere.seen)) == (1, 0)


def test_a_name_that_has_no_address_is_said_to_have_none():
    async def run():
        sender = HttpSender(
            "http://no-such-judge.invalid/", {}, key=None, timeout_seconds=30, max_reply_bytes=9, max_connections=1
        )
        return await sender.post({})

    answer = asyncio.run(run())
    assert (answer.error_kind, answer.status) == ("connection", None)
    assert "no-such-judge.invalid" in answer.error
    assert "has no address" in answer.error


def test_a_server_that_accepts_nobody_in_time_is_told_apart_from_one_that_thinks_long(monkeypatch):
    async def never(*_, **__):
        await asyncio.Event().wait()

    monkeypatch.setattr(pool, "CONNECT_SECONDS", 0.02)
    monkeypatch.setattr(pool, "start_connection", never)
    answer, _ = ask()
    assert (answer.error_kind, answer.error) == ("timeout", "no connection in time")


def test_a_request_keeps_no_memory_once_it_was_sent():
    async def run():
        async with asking(None) as (_, server):
            connection = Connection(memoryview(bytearray(1000)))
            await asyncio.get_running_loop().create_connection(lambda: connection, "127.0.0.1", server.port)
            exchange = Exchange(b"GET / HTTP/1.1\r\n\r\n", 1000)
            waiting = asyncio.create_task(connection.send(exchange))
            await server.asked.wait()
            waiting.cancel()
            return exchange.request, await asyncio.gather(waiting, return_exceptions=True)

    kept, _ = asyncio.run(run())
    assert kept == b""
