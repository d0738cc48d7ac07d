-- Somebody gave an entry a kind that does not exist.
-- expect: 4 unreadable
UPDATE entry SET kind = 'bribe' WHERE sequence = 4;
