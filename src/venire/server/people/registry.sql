-- Who may come in. It lies beside the ledger and not in it: deleting it breaks no link of the ledger, and takes with it
-- every way to tell which person is behind a pseudonym.

CREATE TABLE IF NOT EXISTS person (
    pseudonym  TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    role       TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

-- Keys, invitations and sessions. Of a secret only its SHA-256 is kept.
CREATE TABLE IF NOT EXISTS credential (
    id         TEXT PRIMARY KEY,
    kind       TEXT NOT NULL,
    sha256     TEXT NOT NULL UNIQUE,
    pseudonym  TEXT NOT NULL REFERENCES person (pseudonym) ON DELETE CASCADE,
    parent     TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    revoked_at TEXT NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS credential_of_parent ON credential (parent);

-- What items and orders that jurors see are made with. It must not get into the ledger, whose readers could undo it.
CREATE TABLE IF NOT EXISTS court_secret (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
