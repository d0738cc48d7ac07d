"""A client of a Venire server: plain calls, typed answers, and nothing but the standard library underneath.

Results are the same records that the local functions give. Lists come as iterators that fetch page after page.
"""

from __future__ import annotations

import http.client
import secrets
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from types import TracebackType
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

import msgspec

from venire.domain.curation import Curation, Outcome
from venire.domain.judgement import Judgement, Status
from venire.domain.judgement_key import JudgementKey
from venire.domain.vote import VoterKind
from venire.errors import ServerError
from venire.ledger.checkpoint import Checkpoint
from venire.reports.report import Report
from venire.server.court.entry_views import AuditResult, EntryProof, PlainEntry
from venire.server.court.views import (
    JudgementRow,
    JudgementView,
    Overview,
    Page,
    Problem,
    RunProgress,
    SampleRow,
    SampleView,
)
from venire.server.court.vote_views import BatchResult, Docket, ItemScore, QueuedItem, VoteReceipt, WeighedVote
from venire.votes.client import GrandJuryClient
from venire.votes.remote import server_address

T = TypeVar("T")
_PAGE = 1000


class Client:
    """A connection to a server with a key. Use it as `with Client(address, key) as client`; not from several threads.

    `analysis` answers the six questions about votes that one brings along. A vote that got no answer is sent once more
    under the same idempotency key, so that it is never cast twice. The key goes over plain http to this machine only,
    unless `insecure_http` says otherwise.
    """

    def __init__(self, base_url: str, key: str, *, timeout_seconds: float = 60.0, insecure_http: bool = False) -> None:
        parts = server_address(base_url, has_key=True, insecure_http=insecure_http)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(str(parts.hostname), parts.port, timeout=timeout_seconds)
        self._address = f"{parts.scheme}://{parts.netloc}"
        self._prefix = f"{parts.path.rstrip('/')}/api/v1"
        self._headers = {"Authorization": f"Bearer {key}", "Accept": "application/json"}
        self.analysis = GrandJuryClient(key, base_url, insecure_http=insecure_http)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the next call opens another."""
        self._connection.close()

    def overview(self) -> Overview:
        """Count what the ledger holds."""
        return self._get("/overview", Overview)

    def samples(self) -> Iterator[SampleRow]:
        """Yield all samples, without their texts."""
        return self._pages("/samples", SampleRow)

    def sample(self, digest: str) -> SampleView:
        """Return a sample with its text."""
        return self._get(f"/samples/{quote(digest, safe='')}", SampleView)

    def runs(self) -> Iterator[RunProgress]:
        """Yield all runs, the latest first."""
        return self._pages("/runs", RunProgress)

    def judgements(self, *, sample: str = "", judge: str = "", status: Status | None = None) -> Iterator[JudgementRow]:
        """Yield judgements, of one sample, judge or status only if one is named."""
        return self._pages("/judgements", JudgementRow, sample=sample, judge=judge, status=status)

    def judgement(self, key: str) -> JudgementView:
        """Return a judgement with everything that it follows from."""
        name = JudgementKey.parse(key)
        return self._get(f"/judgements/{quote(name.key, safe='')}", JudgementView, entry=name.place)

    def docket(self) -> Docket:
        """Return what lies before the juror who holds the key."""
        return self._get("/docket", Docket)

    def vote(self, item: str, vote: float, reason: str = "", **more: object) -> VoteReceipt:
        """Cast a vote and return when it is durable. Operators may add `voter_id`, `vote_time` and so on."""
        body = {"item": item, "vote": vote, "reason": reason, **more}
        return self._post("/votes", body, VoteReceipt, idempotent=True)

    def vote_all(self, votes: Iterable[Mapping[str, object]]) -> BatchResult:
        """Cast many votes in one commit; each is a mapping with what `vote` takes."""
        return self._post("/votes/batch", {"votes": list(votes)}, BatchResult, idempotent=True)

    def undo(self) -> VoteReceipt:
        """Take the juror's last vote back."""
        return self._post("/votes/undo", None, VoteReceipt)

    def skip(self, item: str) -> None:
        """Put an item at the end of the juror's order."""
        self._send("POST", "/votes/skip", {"item": item})

    def judge(self, item: str, reply: str) -> Judgement:
        """Judge an item by the dimensions of the protocol; an invalid judgement comes back unrecorded."""
        return self._post("/votes/judgement", {"item": item, "reply": reply}, Judgement)

    def scores(self, *, as_of: datetime | None = None, voter_kind: VoterKind = VoterKind.PERSON) -> Iterator[ItemScore]:
        """Yield the consensus on every item, now or as of a time."""
        return self._pages("/scores", ItemScore, as_of=as_of, voter_kind=voter_kind)

    def score_trail(
        self, inference_id: str, voter_prompt_id: str | None = None, *, as_of: datetime | None = None
    ) -> Iterator[WeighedVote]:
        """Yield every vote on an item with its weight in the score."""
        return self._pages(
            "/scores/trail", WeighedVote, inference_id=inference_id, voter_prompt_id=voter_prompt_id, as_of=as_of
        )

    def queue(self) -> Iterator[QueuedItem]:
        """Yield the items that wait for a curator, the most disputed first."""
        return self._pages("/queue", QueuedItem, limit=100)

    def decide(
        self, inference_id: str, outcome: Outcome, note: str = "", voter_prompt_id: str | None = None
    ) -> Curation:
        """Settle an item that waits."""
        body = {"inference_id": inference_id, "outcome": outcome, "note": note, "voter_prompt_id": voter_prompt_id}
        return self._post("/queue/decisions", body, Curation)

    def report(self) -> Report:
        """Return the report of all judgements."""
        return self._get("/report", Report)

    def audit(self) -> AuditResult:
        """Let the server check its ledger; `entries` are for checking it oneself."""
        return self._get("/audit", AuditResult)

    def entries(self) -> Iterator[PlainEntry]:
        """Yield all entries as they stand, for checking their hashes on this side."""
        return self._pages("/audit/entries", PlainEntry, limit=500)

    def checkpoint(self) -> Checkpoint:
        """Return the signed end of the ledger."""
        return self._get("/checkpoint", Checkpoint)

    def proof(self, sequence: int, size: int | None = None) -> EntryProof:
        """Return the proof that an entry is in the ledger."""
        return self._get(f"/proof/{sequence}", EntryProof, size=size)

    def _pages(self, path: str, kind: type[T], *, limit: int = _PAGE, **terms: object) -> Iterator[T]:
        after: int | None = 0
        while after is not None:
            page = self._get(path, Page[kind], after=after, limit=limit, **terms)  # type: ignore[valid-type]
            yield from page.items
            after = page.next_after

    def _get(self, path: str, kind: type[T], **terms: object) -> T:
        said = {name: _written(value) for name, value in terms.items() if value is not None and value != ""}
        return self._decode(self._send("GET", f"{path}?{urlencode(said)}" if said else path), kind, path)

    def _post(self, path: str, body: object, kind: type[T], *, idempotent: bool = False) -> T:
        headers = {"Idempotency-Key": secrets.token_hex(16)} if idempotent else {}
        return self._decode(self._send("POST", path, body, headers), kind, path)

    def _send(self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None) -> bytes:
        said = {**self._headers, **(headers or {})}
        data = None if body is None else msgspec.json.encode(body)
        if data is not None:
            said["Content-Type"] = "application/json"
        again = method == "GET" or "Idempotency-Key" in said
        try:
            status, answer = self._exchange(method, path, data, said)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            if not again:
                raise self._unanswered(error, path) from error
            try:
                status, answer = self._exchange(method, path, data, said)
            except (OSError, http.client.HTTPException) as second:
                self.close()
                raise self._unanswered(second, path) from second
        if status >= http.client.BAD_REQUEST:
            raise self._refused(status, answer, path)
        return answer

    def _exchange(self, method: str, path: str, data: bytes | None, headers: Mapping[str, str]) -> tuple[int, bytes]:
        self._connection.request(method, f"{self._prefix}{path}", data, dict(headers))
        response = self._connection.getresponse()
        return response.status, response.read()

    def _decode(self, answer: bytes, kind: type[T], path: str) -> T:
        try:
            return msgspec.json.decode(answer, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ServerError(
                "error.client.unexpected", where=f"{self._address}{self._prefix}{path}", problem=str(error)
            ) from error

    def _unanswered(self, error: Exception, path: str) -> ServerError:
        where = f"{self._address}{self._prefix}{path.partition('?')[0]}"
        return ServerError("error.client.unanswered", where=where, problem=str(error))

    def _refused(self, status: int, answer: bytes, path: str) -> ServerError:
        try:
            problem = msgspec.json.decode(answer, type=Problem)
        except (msgspec.DecodeError, UnicodeDecodeError):
            problem = Problem(http.client.responses.get(status, ""), status)
        message = f"{status} {problem.title}: {problem.detail}" if problem.detail else f"{status} {problem.title}"
        where = f"{self._address}{self._prefix}{path.partition('?')[0]}"
        return ServerError(message, status=status, where=where, hint=problem.hint)


def _written(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)
