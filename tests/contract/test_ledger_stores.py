"""What every store must do. A new store adds one line to `STORES`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from threading import Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from drawing import draws
from postgres_server import WRITER
from venire.errors import LedgerError, TamperedError, UsageError
from venire.ledger.audit import audit_chain
from venire.ledger.entry import STORED_ONCE, Draft, Head, Kind, format_time
from venire.ledger.hashing import link_all, verify_chain
from venire.ledger.memory import MemoryLedger
from venire.ledger.postgres.ledger import PostgresLedger
from venire.ledger.sqlite.ledger import SqliteLedger
from venire.testing import LEDGER_PROMISES

MOMENT = datetime(2025, 3, 4, 5, 6, 7, 89, tzinfo=UTC)


def open_memory(folder, server, **options):
    return MemoryLedger(**options)


def open_sqlite(folder, server, **options):
    return SqliteLedger(folder / "ledger.db", **options)


def open_postgres(folder, server, **options):
    return PostgresLedger(server.url(server.new_ledger(), WRITER), **options)


STORES = {"memory": open_memory, "sqlite": open_sqlite, "postgres": open_postgres}


@pytest.fixture(params=STORES.values(), ids=STORES.keys())
def open_store(request, tmp_path, postgres):
    return partial(request.param, tmp_path, postgres)


@pytest.fixture
def ledger(open_store):
    opened = open_store(now=lambda: MOMENT)
    yield opened
    opened.close()


def attempts(count, first=0):
    return [Draft(Kind.ATTEMPT, {"number": number}, f"task-{number}") for number in range(first, first + count)]


@pytest.mark.parametrize("promise", LEDGER_PROMISES)
def test_what_plugin_authors_are_told_is_kept(ledger, promise):
    promise(ledger)


def test_what_is_staged_is_seen_when_it_is_committed_which_any_thread_may_do(ledger):
    ledger.append(attempts(1))
    commit = ledger.stage([*attempts(2, first=1), Draft(Kind.REPLY, 1, "task")])
    assert ledger.head().sequence == 1
    with ThreadPoolExecutor(1) as pool:
        head = pool.submit(commit).result()
    assert head == ledger.head()
    assert head.sequence == 4


def test_staging_what_cannot_be_stored_does_not_keep_others_out(ledger):
    with pytest.raises(UsageError, match="cannot be stored"):
        ledger.stage([Draft(Kind.VOTE, float("nan"))])()
    assert ledger.append(attempts(1)).sequence == 1


def test_appending_nothing_changes_nothing(ledger):
    head = ledger.append(attempts(1))
    assert ledger.append([]) == head


def test_entries_carry_the_time_of_the_clock_that_was_passed_in(ledger):
    ledger.append(attempts(1))
    assert next(ledger.read()).recorded_at == "2025-03-04T05:06:07.000089Z"


def test_times_of_other_zones_are_recorded_in_utc(open_store):
    ledger = open_store(now=lambda: MOMENT.astimezone(timezone(timedelta(hours=8))))
    ledger.append(attempts(1))
    assert next(ledger.read()).recorded_at == "2025-03-04T05:06:07.000089Z"
    ledger.close()


def test_a_clock_without_a_zone_is_refused_and_nothing_is_appended(open_store):
    ledger = open_store(now=lambda: MOMENT.replace(tzinfo=None))
    with pytest.raises(UsageError, match="zone"):
        ledger.append(attempts(1))
    assert ledger.head() == Head()
    ledger.close()


def test_the_sequence_is_the_order_even_when_the_clock_is_set_back(open_store):
    times = iter([MOMENT, MOMENT - timedelta(days=1)])
    ledger = open_store(now=lambda: next(times))
    ledger.append(attempts(1))
    ledger.append(attempts(1, first=1))
    assert [entry.key for entry in ledger.read()] == ["task-0", "task-1"]
    assert audit_chain(ledger).intact
    ledger.close()


@pytest.mark.parametrize("count", [0, 1, 255, 256, 257, 513])
def test_reading_yields_every_entry_once_whatever_the_batches(ledger, count):
    ledger.append(attempts(count))
    assert [entry.sequence for entry in ledger.read()] == list(range(1, count + 1))


def test_reading_begins_behind_the_given_sequence(ledger):
    ledger.append(attempts(5))
    assert [entry.sequence for entry in ledger.read(after=3)] == [4, 5]
    assert list(ledger.read(after=5)) == []


def test_reading_may_go_on_while_others_append(ledger):
    ledger.append(attempts(300))
    reading = ledger.read()
    seen = [next(reading)]
    ledger.append(attempts(300, first=300))
    seen.extend(reading)
    assert [entry.sequence for entry in seen] == list(range(1, 601))


def test_find_returns_the_latest_entry_of_a_kind_and_key(ledger):
    ledger.append([Draft(Kind.ATTEMPT, number, "task") for number in range(3)])
    ledger.append([Draft(Kind.VOTE, "other", "task"), Draft(Kind.ATTEMPT, "other", "tas")])
    found = ledger.find(Kind.ATTEMPT, "task")
    assert found is not None
    assert found.content == 2


def test_find_returns_none_where_there_is_nothing(ledger):
    ledger.append([Draft(Kind.RUN_OPENED, {}), *attempts(1)])
    assert ledger.find(Kind.REPLY, "task-0") is None
    assert ledger.find(Kind.ATTEMPT, "task-1") is None
    assert ledger.find(Kind.RUN_OPENED, "") is None


def test_keys_are_the_different_keys_of_a_kind(ledger):
    ledger.append([Draft(Kind.ATTEMPT, number, f"task-{number % 400}") for number in range(1000)])
    ledger.append([Draft(Kind.ATTEMPT, "no key"), Draft(Kind.VOTE, "other", "vote")])
    found = list(ledger.keys(Kind.ATTEMPT))
    assert len(found) == 400
    assert set(found) == {f"task-{number}" for number in range(400)}


@pytest.mark.parametrize("kind", [Kind.ATTEMPT, Kind.REPLY])
def test_keys_that_begin_alike_are_kept_apart(ledger, kind):
    keys = [f"a-long-beginning-{number}" for number in range(300)]
    for half in (keys[:150], keys[150:]):  # What is there already is left out, and nothing that only begins alike.
        ledger.append([Draft(kind, key, key) for key in half])
    found = ledger.find_all([(kind, key) for key in (*keys, "a-long-beginning", "a-long-b")])
    assert {key: entry.content for (_, key), entry in found.items()} == {key: key for key in keys}
    assert [ledger.find(kind, key).content for key in keys[:3]] == keys[:3]
    assert ledger.find(kind, "a-long-b") is None
    assert sorted(ledger.keys(kind)) == sorted(keys)


def test_leaving_out_a_repeat_keeps_what_was_appended_with_it(ledger):
    ledger.append([Draft(Kind.SAMPLE, "first", "a")])
    ledger.append([Draft(Kind.SAMPLE, "repeat", "a"), Draft(Kind.SAMPLE, "new", "b"), Draft(Kind.PROTOCOL, "new", "a")])
    assert [(entry.kind, entry.content) for entry in ledger.read()] == [
        (Kind.SAMPLE, "first"),
        (Kind.SAMPLE, "new"),
        (Kind.PROTOCOL, "new"),
    ]
    assert audit_chain(ledger).intact


def test_what_is_to_be_recorded_instead_of_a_repeat_takes_its_place(ledger):
    late = Draft(Kind.ATTEMPT, "late", "a", b"raw")
    ledger.append([Draft(Kind.REPLY, "first", "a", instead=lambda: late)])
    ledger.append([Draft(Kind.REPLY, "second", "a", instead=lambda: late), Draft(Kind.REPLY, "new", "b")])
    ledger.append([Draft(Kind.REPLY, "other", "c"), Draft(Kind.REPLY, "same call", "c", instead=lambda: late)])
    assert [entry.content for entry in ledger.read()] == ["first", "late", "new", "other", "late"]
    assert ledger.find(Kind.ATTEMPT, "a").blob == b"raw"
    assert audit_chain(ledger).intact


def test_other_kinds_repeat_freely(ledger):
    repeating = [kind for kind in Kind if kind not in STORED_ONCE]
    ledger.append([Draft(kind, number, "key") for kind in repeating for number in range(2)])
    assert ledger.head().sequence == 2 * len(repeating)


@pytest.fixture
def original():
    """The entries of another ledger."""
    other = MemoryLedger(now=lambda: MOMENT - timedelta(days=1))
    other.append([Draft(Kind.REPLY, number, f"task-{number}", b"\x00reply") for number in range(4)])
    other.append([Draft(Kind.VOTE, number) for number in range(3)])
    return list(other.read())


def test_adopted_entries_are_the_same_in_every_field(ledger, original):
    ledger.adopt(original[:3])
    head = ledger.adopt(original[3:])
    assert head == ledger.head() == Head(7, original[-1].hash)
    assert list(ledger.read()) == original
    assert ledger.find(Kind.REPLY, "task-2") == original[2]


def test_what_is_appended_follows_adopted_entries(ledger, original):
    ledger.adopt(original)
    head = ledger.append([Draft(Kind.REPLY, "again", "task-0"), Draft(Kind.REPLY, "new", "task-4")])
    assert head.sequence == 8
    assert audit_chain(ledger).count == 8


def test_adopting_nothing_changes_nothing(ledger, original):
    assert ledger.adopt([]) == Head()
    head = ledger.adopt(original)
    assert ledger.adopt([]) == head


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda entries: entries[1:], "entry 1: sequence: expected 1, found 2"),
        (lambda entries: [*entries[:2], *entries[3:]], "entry 3: sequence"),
        (lambda entries: [*entries[:2], replace(entries[2], blob=b"better"), *entries[3:]], "entry 3: hash"),
        (lambda entries: [*entries[:2], replace(entries[2], previous_hash="0" * 64)], "entry 3: previous_hash"),
    ],
    ids=["not the next", "gap", "changed", "unlinked"],
)
def test_entries_that_do_not_follow_are_not_adopted(ledger, original, change, message):
    with pytest.raises(TamperedError, match=message):
        ledger.adopt(change(original))
    assert ledger.head() == Head()


def test_entries_of_another_ledger_are_not_adopted_behind_own_ones(ledger, original):
    head = ledger.append([Draft(Kind.REPLY, 0, "task-0")])
    with pytest.raises(TamperedError, match="entry 2: previous_hash"):
        ledger.adopt(original[1:])
    assert ledger.head() == head


@pytest.mark.parametrize("kept", [0, 1], ids=["in one call", "in two calls"])
def test_a_second_result_for_one_key_is_not_adopted(ledger, kept):
    twice = list(link_all([Draft(Kind.REPLY, number, "task") for number in range(2)], Head(), format_time(MOMENT)))
    head = ledger.adopt(twice[:kept])
    with pytest.raises(TamperedError, match="entry 2 repeats the reply 'task'"):
        ledger.adopt(twice[kept:])
    assert ledger.head() == head


def test_a_closed_ledger_says_so(open_store):
    ledger = open_store()
    ledger.close()
    ledger.close()
    uses = [
        lambda: ledger.append(attempts(1)),
        lambda: ledger.adopt([]),
        lambda: list(ledger.read()),
        lambda: ledger.find(Kind.REPLY, "x"),
        lambda: list(ledger.keys(Kind.REPLY)),
        ledger.head,
    ]
    for use in uses:
        with pytest.raises(LedgerError, match="closed"):
            use()


def test_threads_may_append_and_look_up_at_the_same_time(ledger):
    def work(name):
        for number in range(20):
            ledger.append([Draft(Kind.REPLY, number, f"{name}-{number}"), Draft(Kind.SAMPLE, "shared", f"{number}")])
            assert ledger.find(Kind.REPLY, f"{name}-{number}") is not None
            done.append(name)

    done: list[int] = []
    threads = [Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 80
    assert audit_chain(ledger).count == 4 * 20 + 20


@settings(max_examples=draws(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    drafts=st.lists(
        st.builds(
            Draft,
            st.sampled_from(list(Kind)),
            st.recursive(
                st.none() | st.booleans() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
                lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
                max_leaves=5,
            ),
            st.text(min_size=1),
            st.binary(max_size=50),
        ),
        max_size=12,
    )
)
def test_all_stores_make_the_same_ledger_of_the_same_drafts(tmp_path_factory, postgres, drafts):
    ledgers = [opener(tmp_path_factory.mktemp("store"), postgres, now=lambda: MOMENT) for opener in STORES.values()]
    for ledger in ledgers:
        ledger.append(drafts[:5])
        ledger.append(drafts[5:])
    contents = [list(ledger.read()) for ledger in ledgers]
    keys = [{kind: set(ledger.keys(kind)) for kind in Kind} for ledger in ledgers]
    assert all(content == contents[0] for content in contents)
    assert all(found == keys[0] for found in keys)
    assert verify_chain(contents[0]).first_broken is None
    for ledger in ledgers:
        ledger.close()


def test_a_decision_at_the_end_is_shown_what_came_behind_what_was_seen(ledger):
    seen = ledger.append(attempts(300)).sequence
    ledger.append(attempts(2, first=300))
    shown = []

    def decide(news):
        shown.extend(news)
        return [Draft(Kind.VOTE, {"after": len(news)})]

    head = ledger.append_after(seen, decide)

    assert [entry.key for entry in shown] == ["task-300", "task-301"]
    assert shown == list(ledger.read(after=seen))[:2]
    assert head == ledger.head()
    assert next(iter(ledger.read(after=302))).content == {"after": 2}


def test_a_decision_to_append_nothing_changes_nothing(ledger):
    head = ledger.append(attempts(3))
    assert ledger.append_after(0, lambda news: []) == head == ledger.head()


def test_a_decision_that_fails_appends_nothing_and_lets_others_go_on(ledger):
    head = ledger.append(attempts(3))

    def refuse(news):
        raise UsageError(f"{len(news)} entries are too many")

    with pytest.raises(UsageError, match="3 entries"):
        ledger.append_after(0, refuse)
    assert ledger.head() == head
    assert ledger.append(attempts(1, first=3)).sequence == 4


def test_what_is_stored_once_stays_once_when_it_is_decided_at_the_end(ledger):
    first = Draft(Kind.REPLY, {"status": 200}, "task")
    ledger.append([first])
    ledger.append_after(1, lambda news: [first, Draft(Kind.REPLY, {"status": 500}, "other"), first])
    assert [entry.key for entry in ledger.read()] == ["task", "other"]


def test_of_many_who_decide_at_once_one_is_first_and_the_others_see_it(ledger):
    """Each appends unless somebody has: without the lock around the decision several would."""

    def claim(name):
        ledger.append_after(0, lambda news: [] if news else [Draft(Kind.VOTE, {"name": name})])

    threads = [Thread(target=claim, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.head().sequence == 1


def test_a_claim_is_held_by_one_at_a_time(ledger):
    first, second, third = (digit * 64 for digit in "0a7")
    with ledger.claims(pytest.fail) as mine, ledger.claims(pytest.fail) as others:
        assert mine.take([first, second]) == {}
        assert mine.take([second, second]) == {}
        assert set(others.take([second, third])) == {second}
        assert set(mine.take([third])) == {third}
        assert mine.take([]) == {}
        ledger.append(attempts(1))
        mine.let_go([first])
        assert mine.take([]) == {}
        assert others.take([first]) == {}
    with ledger.claims(pytest.fail) as mine:
        assert mine.take([first, second, third, third]) == {}
        assert ledger.head().sequence == 1


def test_many_entries_are_found_as_one_is(ledger):
    repeated = [Draft(Kind.ATTEMPT, {"number": number}, "task-1") for number in range(3)]
    ledger.append([*attempts(3), *repeated, Draft(Kind.REPLY, {"text": "ä"}, "task-1"), Draft(Kind.VOTE, {})])
    wanted = [(Kind.ATTEMPT, "task-1"), (Kind.ATTEMPT, "task-7"), (Kind.REPLY, "task-1"), (Kind.REPLY, "task-0"),
              (Kind.ATTEMPT, "task-2"), (Kind.VOTE, "")]  # fmt: skip
    found = ledger.find_all(wanted)
    assert set(found) == {(Kind.ATTEMPT, "task-1"), (Kind.REPLY, "task-1"), (Kind.ATTEMPT, "task-2")}
    assert all(found[each] == ledger.find(*each) for each in found)
    assert found[Kind.ATTEMPT, "task-1"].content == {"number": 2}
    assert ledger.find_all([]) == {}
