-- The database itself refuses everything but appending, and reads some kinds in order without reading the others.

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
