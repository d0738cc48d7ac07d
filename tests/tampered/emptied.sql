-- Somebody removed everything; only a checkpoint shows it.
-- expect: nothing
DELETE FROM entry;
