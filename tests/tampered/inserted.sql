-- Somebody slipped an entry in between and moved the others up.
-- expect: 5 hash
UPDATE entry SET sequence = -sequence WHERE sequence > 4;
UPDATE entry SET sequence = 1 - sequence WHERE sequence < 0;
INSERT INTO entry
SELECT 5, 'vote', '', recorded_at, hash, hash, CAST('{"score":9}' AS BLOB), blob FROM entry WHERE sequence = 4;
