-- name: insert_entry
-- Append one linked entry.
INSERT INTO entry (sequence, kind, key, payload, blob, recorded_at, previous_hash, hash)
VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- name: select_head
-- The number and hash of the last entry; no row for an empty ledger.
SELECT sequence, hash FROM entry ORDER BY sequence DESC LIMIT 1;

-- name: select_from
-- A batch of entries from a sequence on, in order.
SELECT sequence, kind, key, payload, blob, recorded_at, previous_hash, hash
FROM entry
WHERE sequence >= :first
ORDER BY sequence
LIMIT :batch;

-- name: select_kinds_from
-- A batch of entries of some kinds (a JSON array) from a sequence on, in order.
SELECT sequence, kind, key, payload, blob, recorded_at, previous_hash, hash
FROM entry
WHERE sequence >= :first AND kind IN (SELECT value FROM json_each(:kinds))
ORDER BY sequence
LIMIT :batch;

-- name: select_latest
-- The latest entry of a kind and key.
SELECT sequence, kind, key, payload, blob, recorded_at, previous_hash, hash
FROM entry
WHERE kind = :kind AND substr(key, 1, 8) = substr(:key, 1, 8) AND key = :key AND key <> ''
ORDER BY sequence DESC
LIMIT 1;

-- name: select_latest_of
-- The latest entry of each of the given kinds and keys (a JSON array of pairs) that is there.
SELECT entry.sequence, kind, key, payload, blob, recorded_at, previous_hash, hash
FROM entry
JOIN (
    SELECT (
        SELECT sequence FROM entry
        WHERE kind = wanted.value ->> 0 AND substr(key, 1, 8) = substr(wanted.value ->> 1, 1, 8)
            AND key = wanted.value ->> 1 AND key <> ''
        ORDER BY sequence DESC
        LIMIT 1
    ) AS sequence
    FROM json_each(:wanted) AS wanted
) AS latest ON latest.sequence = entry.sequence;

-- name: select_places_of
-- The places, counted from 0, of those of the given kinds and keys (a JSON array of pairs) that are there.
SELECT wanted.key
FROM json_each(:wanted) AS wanted
WHERE EXISTS (
    SELECT 1 FROM entry
    WHERE kind = wanted.value ->> 0 AND substr(key, 1, 8) = substr(wanted.value ->> 1, 1, 8)
        AND key = wanted.value ->> 1 AND key <> ''
);

-- name: select_keys_after
-- A batch of the keys of a kind behind a sequence, each where it stands first, with its sequence. Rows are read in their
-- order, not in that of the index, which would go all over the file.
SELECT sequence, key
FROM entry AS first NOT INDEXED
WHERE sequence > :after AND kind = :kind AND key <> '' AND NOT EXISTS (
    SELECT 1 FROM entry AS earlier
    WHERE earlier.kind = first.kind AND substr(earlier.key, 1, 8) = substr(first.key, 1, 8)
        AND earlier.sequence < first.sequence AND earlier.key = first.key AND earlier.key <> ''
)
ORDER BY sequence
LIMIT :batch;

-- name: check_integrity
-- What is wrong with the file's pages, and with its indexes held against the rows; one row "ok" if nothing is.
PRAGMA integrity_check(10);

-- name: select_repeated
-- Keys that are stored more than once although their kind is stored once.
SELECT kind, key, count(*)
FROM entry
WHERE kind IN ('protocol', 'sample', 'material', 'reply', 'judgement', 'case', 'prompt', 'output')
GROUP BY kind, key
HAVING count(*) > 1
LIMIT 10;
