-- Somebody cut off the end; what is left is a whole chain, and only a checkpoint shows it.
-- expect: nothing
DELETE FROM entry WHERE sequence > 4;
