-- A key holds bytes that are not text.
-- expect: 4 unreadable
UPDATE entry SET key = CAST(x'ff' AS TEXT) WHERE sequence = 4;
