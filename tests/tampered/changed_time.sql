-- Somebody dated an entry back.
-- expect: 4 hash
UPDATE entry SET recorded_at = '2024-01-01T00:00:00.000000Z' WHERE sequence = 4;
