-- The SQLite form of a ledger. It is applied in one transaction, so a file is a whole ledger or none.

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

-- Look-ups by kind and key. Most keys are digests, and their beginnings tell them apart; the few entries of one key are
-- told apart in the table. An index of kinds and whole keys has five times as many pages, which commits write anew all over.
CREATE INDEX entry_by_key ON entry (substr(key, 1, 8)) WHERE key <> '';

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

-- A list of kinds behind IN would be made into a table for each row.
CREATE TRIGGER entry_is_stored_once BEFORE INSERT ON entry
WHEN CASE NEW.kind
        WHEN 'protocol' THEN 1 WHEN 'sample' THEN 1 WHEN 'material' THEN 1 WHEN 'reply' THEN 1
        WHEN 'judgement' THEN 1 WHEN 'case' THEN 1 WHEN 'prompt' THEN 1 WHEN 'output' THEN 1
    END
    AND EXISTS (
        SELECT 1 FROM entry
        WHERE kind = NEW.kind AND substr(key, 1, 8) = substr(NEW.key, 1, 8) AND key = NEW.key AND key <> ''
    )
BEGIN
    SELECT RAISE(ABORT, 'a ledger holds at most one entry of this kind for each key');
END;
