-- name: set_up_session
-- A commit is acknowledged once it is on disk. A writer that vanished must not keep the others waiting for long.
SELECT
    set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
        ELSE current_setting('synchronous_commit') END, false),
    set_config('idle_in_transaction_session_timeout', '30s', false),
    set_config('lock_timeout', '60s', false),
    set_config('tcp_keepalives_idle', '10', false),
    set_config('tcp_keepalives_interval', '5', false),
    set_config('tcp_keepalives_count', '3', false),
    set_config('search_path', 'pg_catalog', false);

-- name: select_standing
-- Who is connected, whether there is a ledger, and what this role may do with it.
SELECT
    current_user::text,
    schema.oid IS NOT NULL AND entry.oid IS NOT NULL AND version.oid IS NOT NULL,
    coalesce(has_schema_privilege(schema.oid, 'USAGE') AND has_table_privilege(entry.oid, 'SELECT')
        AND has_table_privilege(version.oid, 'SELECT'), false),
    coalesce(has_table_privilege(entry.oid, 'INSERT'), false)
FROM (SELECT 'venire'::name AS name) AS wanted
LEFT JOIN pg_namespace AS schema ON schema.nspname = wanted.name
LEFT JOIN pg_class AS entry ON entry.relnamespace = schema.oid AND entry.relname = 'entry'
LEFT JOIN pg_class AS version ON version.relnamespace = schema.oid AND version.relname = 'schema_version';

-- name: select_version
-- The number of the last migration that was applied; 0 for none.
SELECT coalesce(max(version), 0) FROM venire.schema_version;

-- name: lock_end
-- One writer at a time goes to the end; the lock ends with the transaction. The first number is VNRE in ASCII.
SELECT pg_advisory_xact_lock(1447973445, 'venire.entry'::regclass::oid::integer);

-- name: name_session
-- Tell others who this connection is, and which of the server's processes it has.
SELECT pg_backend_pid(), set_config('application_name', %(name)s, false);

-- name: exchange_claims
-- Take the claims that are wanted and free, and let go of the others; the claims taken last as long as the connection.
SELECT claim.key, claim.wanted,
    CASE WHEN claim.wanted THEN pg_try_advisory_lock(claim.key) ELSE pg_advisory_unlock(claim.key) END
FROM unnest(%(keys)s::bigint[], %(wanted)s::boolean[]) AS claim (key, wanted);

-- name: select_holders
-- The server's process of whoever holds each of these claims, and what it calls itself; no row if nobody does.
SELECT (lock.classid::bigint << 32 | lock.objid::bigint), lock.pid, activity.application_name
FROM pg_locks AS lock
LEFT JOIN pg_stat_activity AS activity ON activity.pid = lock.pid
WHERE lock.locktype = 'advisory' AND lock.granted AND lock.objsubid = 1
    AND lock.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (lock.classid::bigint << 32 | lock.objid::bigint) = ANY (%(keys)s::bigint[]);

-- name: unlock_claims
-- Let go of all claims of this connection.
SELECT pg_advisory_unlock_all();

-- name: select_nothing
-- Find out whether the server is there.
SELECT;

-- name: select_head
-- The number and hash of the last entry; no row for an empty ledger.
SELECT sequence, hash FROM venire.entry ORDER BY sequence DESC LIMIT 1;

-- name: select_hash_at
-- The hash of the entry at a place; no row if there is none.
SELECT hash FROM venire.entry WHERE sequence = %(sequence)s;

-- name: select_stored
-- Which of the given kinds and keys (two arrays of the same length) are there, by their places in the arrays. The limit
-- makes the server look each one up in the index; it would read the whole table otherwise.
SELECT draft.place
FROM unnest(%(kinds)s::text[], %(keys)s::bytea[]) WITH ORDINALITY AS draft (kind, key, place)
CROSS JOIN LATERAL (
    SELECT FROM venire.entry
    WHERE entry.kind = draft.kind AND sha256(entry.key) = sha256(draft.key) AND entry.key <> ''
    LIMIT 1
) AS found;

-- name: copy_entries
-- Append linked entries; the columns are in the order of the entry's fields.
COPY venire.entry (sequence, kind, key, payload, blob, recorded_at, previous_hash, hash) FROM STDIN (FORMAT binary);

-- name: select_from
-- A batch of entries from a sequence on, in order.
SELECT sequence, kind, key, payload, blob, recorded_at, previous_hash, hash
FROM venire.entry
WHERE sequence >= %(first)s
ORDER BY sequence
LIMIT %(batch)s;

-- name: select_kinds_from
-- A batch of entries of some kinds from a sequence on, in order. The sequences are found in each kind's own part of the
-- index, and only the entries of the batch are fetched. "No less and no more" than the kind, where "equal" would do, and
-- the order by kind leave the server no other index: for a rare kind it would look through the rest of the table. The
-- last limit is as in select_stored.
SELECT entry.sequence, entry.kind, entry.key, entry.payload, entry.blob, entry.recorded_at, entry.previous_hash,
    entry.hash
FROM (
    SELECT found.sequence
    FROM unnest(%(kinds)s::text[]) AS wanted (kind)
    CROSS JOIN LATERAL (
        SELECT entry.sequence FROM venire.entry
        WHERE (entry.kind, entry.sequence) >= (wanted.kind, %(first)s) AND entry.kind <= wanted.kind
        ORDER BY entry.kind, entry.sequence
        LIMIT %(batch)s
    ) AS found
    ORDER BY found.sequence
    LIMIT %(batch)s
) AS batch
CROSS JOIN LATERAL (SELECT * FROM venire.entry WHERE entry.sequence = batch.sequence LIMIT 1) AS entry
ORDER BY entry.sequence;

-- name: select_latest
-- The latest entry of a kind and key.
SELECT sequence, kind, key, payload, blob, recorded_at, previous_hash, hash
FROM venire.entry
WHERE kind = %(kind)s AND sha256(key) = sha256(%(key)s::bytea) AND key <> ''
ORDER BY CASE WHEN kind IN ('protocol', 'sample', 'reply', 'judgement') THEN 0 ELSE sequence END DESC
LIMIT 1;

-- name: select_latest_of
-- The latest entry of each of the given kinds and keys (two arrays of the same length) that is there.
SELECT found.sequence, found.kind, found.key, found.payload, found.blob, found.recorded_at, found.previous_hash,
    found.hash
FROM unnest(%(kinds)s::text[], %(keys)s::bytea[]) AS wanted (kind, key)
CROSS JOIN LATERAL (
    SELECT * FROM venire.entry
    WHERE entry.kind = wanted.kind AND sha256(entry.key) = sha256(wanted.key) AND entry.key <> ''
    ORDER BY CASE WHEN entry.kind IN ('protocol', 'sample', 'reply', 'judgement') THEN 0 ELSE entry.sequence END DESC
    LIMIT 1
) AS found;

-- name: select_keys_after
-- A batch of the different keys of a kind behind a digest, in the order of their digests.
SELECT DISTINCT ON (sha256(key)) key, sha256(key)
FROM venire.entry
WHERE kind = %(kind)s AND sha256(key) > %(after)s::bytea AND key <> ''
ORDER BY sha256(key)
LIMIT %(batch)s;

-- name: lock_schema
-- One set-up at a time; the lock ends with the transaction.
SELECT pg_advisory_xact_lock(1447973445, 0);

-- name: select_encoding
-- The encoding of the database's text.
SELECT current_setting('server_encoding');

-- name: insert_version
-- Take note of an applied migration.
INSERT INTO venire.schema_version (version) VALUES (%(version)s);

-- name: select_role
-- Whether a role is there, and whether it could change entries all the same: as a superuser or as the owner's member.
SELECT role.rolsuper OR pg_has_role(role.oid, entry.relowner, 'MEMBER')
FROM pg_roles AS role, pg_class AS entry
WHERE role.rolname = %(role)s AND entry.oid = 'venire.entry'::regclass;

-- name: select_repeated
-- Keys that are stored more than once although their kind is stored once.
SELECT kind, encode(key, 'escape'), count(*)
FROM venire.entry
WHERE kind IN ('protocol', 'sample', 'material', 'reply', 'judgement', 'case', 'prompt', 'output')
GROUP BY kind, key
HAVING count(*) > 1
LIMIT 10;
