-- Somebody gave a better score.
-- expect: 4 hash
UPDATE entry SET payload = CAST('{"score":9}' AS BLOB) WHERE sequence = 4;
