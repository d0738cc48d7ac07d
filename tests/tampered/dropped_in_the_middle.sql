-- Somebody removed an entry and left a gap.
-- expect: 4 sequence
DELETE FROM entry WHERE sequence = 4;
