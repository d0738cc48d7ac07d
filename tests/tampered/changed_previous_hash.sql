-- Somebody linked an entry to another one.
-- expect: 4 previous_hash
UPDATE entry SET previous_hash = hash WHERE sequence = 4;
