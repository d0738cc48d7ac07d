-- Somebody edited what the judge had replied.
-- expect: 4 hash
UPDATE entry SET blob = CAST('another reply' AS BLOB) WHERE sequence = 4;
