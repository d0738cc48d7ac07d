-- Somebody appended by hand.
-- expect: 9 hash
INSERT INTO entry SELECT 9, 'vote', '', recorded_at, hash, hash, payload, blob FROM entry WHERE sequence = 8;
