-- The PostgreSQL form of a ledger, whole. A new database gets this file; one that is there already gets the numbered
-- files in migrations/ that it lacks, and both end alike.

CREATE SCHEMA venire;

-- Which of the numbered files this schema stands for.
CREATE TABLE venire.schema_version (
    version    integer PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT now()
);

-- One row for each entry. Keys are bytes (UTF-8), because PostgreSQL's text cannot hold every character.
CREATE TABLE venire.entry (
    sequence      bigint PRIMARY KEY,
    kind          text COLLATE "C" NOT NULL,
    key           bytea NOT NULL,
    recorded_at   text COLLATE "C" NOT NULL,
    previous_hash text COLLATE "C" NOT NULL,
    hash          text COLLATE "C" NOT NULL,
    payload       bytea NOT NULL,
    blob          bytea NOT NULL
);

-- Look-ups by kind and key, by the key's digest because an index holds short values only. For kinds that are stored
-- once the third term is the same for all rows of a key, which makes a second one impossible; for other kinds it is the
-- sequence, which makes the latest the last.
CREATE UNIQUE INDEX entry_by_key ON venire.entry (
    kind,
    sha256(key),
    (CASE WHEN kind IN ('protocol', 'sample', 'reply', 'judgement') THEN 0 ELSE sequence END)
) WHERE key <> '';

-- LZ4 packs long values several times faster than the default; servers that were built without it keep the default.
DO $$
BEGIN
    ALTER TABLE venire.entry ALTER COLUMN payload SET COMPRESSION lz4, ALTER COLUMN blob SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported OR invalid_parameter_value THEN
    NULL;
END
$$;

-- Reading some kinds in order.
CREATE INDEX entry_by_kind ON venire.entry (kind, sequence);

-- The triggers stop accidents and honest mistakes, the owner's too. Whoever means harm and owns the table can drop them;
-- that is what the hashes are for.
CREATE FUNCTION venire.refuse_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'a ledger is append-only: entries are never changed or removed (%)', TG_OP
        USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER entry_is_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON venire.entry
FOR EACH STATEMENT EXECUTE FUNCTION venire.refuse_change();

ALTER TABLE venire.entry ENABLE ALWAYS TRIGGER entry_is_never_changed;

-- Checked once for each statement and not for each row, which would slow COPY down. Together with the primary key it
-- also holds between writers that do not see one another's rows yet.
CREATE FUNCTION venire.refuse_gap() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    first   bigint;
    last    bigint;
    total   bigint;
    before  bigint;
BEGIN
    SELECT min(sequence), max(sequence), count(*) INTO first, last, total FROM added;
    SELECT max(sequence) INTO before FROM venire.entry WHERE sequence < first;
    IF first <> coalesce(before, 0) + 1 OR last - first + 1 <> total
        OR EXISTS (SELECT FROM venire.entry WHERE sequence > last) THEN
        RAISE EXCEPTION 'a ledger is append-only: entries go to the end, without gaps'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER entry_goes_to_the_end AFTER INSERT ON venire.entry
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION venire.refuse_gap();
