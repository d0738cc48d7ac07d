-- Somebody put an entry before the first.
-- expect: 1 sequence
INSERT INTO entry SELECT 0, kind, '', recorded_at, previous_hash, hash, payload, blob FROM entry WHERE sequence = 1;
