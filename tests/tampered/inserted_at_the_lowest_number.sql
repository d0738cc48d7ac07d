-- Somebody put an entry as far before the first as numbers go.
-- expect: 1 sequence
INSERT INTO entry SELECT -9223372036854775808, kind, '', recorded_at, previous_hash, hash, payload, blob FROM entry WHERE sequence = 1;
