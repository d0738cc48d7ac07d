-- Somebody removed the first entry.
-- expect: 1 sequence
DELETE FROM entry WHERE sequence = 1;
