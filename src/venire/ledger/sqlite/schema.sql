-- The SQLite form of a ledger, format 1. It is applied in one transaction, so a file is a whole ledger or none.

-- One row for each entry. The wide columns stand last, so that scanning the narrow ones does not read them.
CREATE TABLE entry (
    sequence      INTEGER PRIMARY KEY,
    kind          TEXT NOT NULL,
    key           TEXT NOT NULL,
    recorded_at   TEXT NOT NULL,
    previous_hash TEXT NOT NULL,
    hash          TEXT NOT NULL,
    payload       BLOB NOT NULL,
    blob          BLOB NOT NULL
) STRICT;

-- Look-ups by kind and key. For kinds that are stored once the third term is the same for all rows of a key, which makes
-- a second one impossible; for other kinds it is the sequence, which makes the latest the last.
CREATE UNIQUE INDEX entry_by_key ON entry (
    kind,
    key,
    (CASE WHEN kind IN ('protocol', 'sample', 'reply', 'judgement') THEN 0 ELSE sequence END)
) WHERE key <> '';

-- The triggers stop accidents and honest mistakes. Whoever means harm can drop them; that is what the hashes are for.
CREATE TRIGGER entry_is_never_updated BEFORE UPDATE ON entry
BEGIN
    SELECT RAISE(ABORT, 'a ledger is append-only: entries are never updated');
END;

CREATE TRIGGER entry_is_never_deleted BEFORE DELETE ON entry
BEGIN
    SELECT RAISE(ABORT, 'a ledger is append-only: entries are never deleted');
END;

CREATE TRIGGER entry_goes_to_the_end BEFORE INSERT ON entry
WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence), 0) + 1 FROM entry)
BEGIN
    SELECT RAISE(ABORT, 'a ledger is append-only: entries go to the end, without gaps');
END;
