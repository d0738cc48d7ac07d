-- What lists of outputs are answered from. Everything here follows from the source and may be deleted at any time.

CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- One row for each output and protocol it was judged under. The scores are on 0-10, over judgements that count.
CREATE TABLE output (
    id         INTEGER PRIMARY KEY,
    key        TEXT NOT NULL UNIQUE,     -- what its page is called
    digest     TEXT NOT NULL,            -- the unit of the ratings
    subject    TEXT NOT NULL,            -- the key of its entry: its own or that of its bundle
    protocol   TEXT NOT NULL,            -- empty until it was judged
    output_id  TEXT NOT NULL,
    question   TEXT NOT NULL,
    variant    TEXT NOT NULL,
    model      TEXT NOT NULL,
    same       TEXT NOT NULL,            -- alike for outputs that answer the same question
    characters INTEGER,
    beginning  TEXT NOT NULL,
    levels     TEXT NOT NULL,            -- the values of its factors, for lists
    score      REAL,                     -- the panel's score
    apart      REAL,                     -- how far the judges' scores lie apart
    good       REAL,                     -- the share of good verdicts, or of comparisons won, 0-1
    voted      REAL,                     -- people's mean vote on it, 0-1; of pairs the share that it won
    verdicts   INTEGER NOT NULL DEFAULT 0, -- how many different verdicts were given
    judgements INTEGER NOT NULL DEFAULT 0,
    invalid    INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX output_by_digest ON output (digest);
CREATE INDEX output_by_subject ON output (subject);
CREATE INDEX output_by_name ON output (output_id);
CREATE INDEX output_by_question ON output (same);
CREATE INDEX output_by_score ON output (score, id);
CREATE INDEX output_by_apart ON output (apart, id);
CREATE INDEX output_by_model ON output (model, score);

-- Texts stand apart, so that lists do not read them; they are folded for searching.
CREATE TABLE text (output INTEGER PRIMARY KEY, folded TEXT NOT NULL) STRICT;

-- Factors of the design, and what else the data says of an output: numbers of a report may rest on either.
CREATE TABLE factor (name TEXT NOT NULL, value TEXT NOT NULL, output INTEGER NOT NULL, is_note INTEGER NOT NULL,
                     PRIMARY KEY (name, value, output)) STRICT, WITHOUT ROWID;
CREATE INDEX factor_by_output ON factor (output);

CREATE TABLE judgement (
    output   INTEGER NOT NULL,
    key      TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    judge    TEXT NOT NULL,
    version  TEXT NOT NULL,              -- the judge's digest and that of its prompt
    repeat   TEXT NOT NULL,
    status   TEXT NOT NULL,
    method   TEXT NOT NULL,
    verdict  TEXT NOT NULL,
    score    REAL,                       -- overall, brought to 0-10
    task     TEXT NOT NULL,
    run      TEXT NOT NULL,
    rival    TEXT NOT NULL DEFAULT '',   -- of a judged pair, the place and digest of the other output
    counted  INTEGER NOT NULL DEFAULT 0,
    record   BLOB                        -- the judgement itself, of sources that are not ledgers
) STRICT;
CREATE INDEX judgement_by_output ON judgement (output);
CREATE INDEX judgement_by_judge ON judgement (judge, status, verdict, output);
CREATE INDEX judgement_by_verdict ON judgement (verdict, output);
CREATE INDEX judgement_by_status ON judgement (status, output);
CREATE INDEX judgement_by_task ON judgement (task);

-- Two outputs that are compared, and what votes call them together: by one name, whichever is shown first.
CREATE TABLE pair (key TEXT PRIMARY KEY, first TEXT NOT NULL, second TEXT NOT NULL, name TEXT NOT NULL)
STRICT, WITHOUT ROWID;
CREATE INDEX pair_by_name ON pair (name);
CREATE TABLE run (id TEXT PRIMARY KEY, sequence INTEGER NOT NULL, recorded_at TEXT NOT NULL, content BLOB NOT NULL)
STRICT;
CREATE TABLE attempt (task TEXT NOT NULL, sequence INTEGER NOT NULL, content BLOB NOT NULL) STRICT;
CREATE INDEX attempt_by_task ON attempt (task);
-- A vote on two outputs has a row for each of them.
CREATE TABLE vote (
    output_id TEXT NOT NULL,
    key       TEXT NOT NULL,
    sequence  INTEGER NOT NULL,
    item      TEXT NOT NULL,             -- what was voted on: the output, or both of a pair by their common name
    prompt    TEXT NOT NULL,
    kind      TEXT NOT NULL,             -- whether a person or a judge voted
    given     REAL,                      -- the vote, for this output; nothing if it was taken back
    content   BLOB NOT NULL,
    PRIMARY KEY (output_id, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE note (output TEXT NOT NULL, sequence INTEGER NOT NULL, content BLOB NOT NULL) STRICT;
CREATE INDEX note_by_output ON note (output);
