-- Somebody assigned an entry to another task.
-- expect: 4 hash
UPDATE entry SET key = 'task-9' WHERE sequence = 4;
