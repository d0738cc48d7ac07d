-- Somebody overwrote a hash.
-- expect: 4 hash
UPDATE entry SET hash = previous_hash WHERE sequence = 4;
