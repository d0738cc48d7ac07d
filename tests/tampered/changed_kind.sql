-- Somebody passed a vote off as a decision.
-- expect: 4 hash
UPDATE entry SET kind = 'decision' WHERE sequence = 4;
