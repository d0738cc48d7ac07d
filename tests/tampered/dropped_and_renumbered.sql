-- Somebody removed an entry and closed the gap.
-- expect: 4 previous_hash
DELETE FROM entry WHERE sequence = 4;
UPDATE entry SET sequence = -sequence WHERE sequence > 4;
UPDATE entry SET sequence = -sequence - 1 WHERE sequence < 0;
