-- Entries, stored once by kind and key where the kind asks for it.

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
