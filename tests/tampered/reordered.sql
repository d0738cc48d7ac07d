-- Somebody swapped two entries by their numbers.
-- expect: 4 previous_hash
UPDATE entry SET sequence = -4 WHERE sequence = 4;
UPDATE entry SET sequence = 4 WHERE sequence = 5;
UPDATE entry SET sequence = 5 WHERE sequence = -4;
