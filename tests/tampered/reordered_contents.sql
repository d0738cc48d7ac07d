-- Somebody swapped what two entries say.
-- expect: 4 hash
UPDATE entry SET payload = (SELECT payload FROM entry AS other WHERE other.sequence = 9 - entry.sequence)
WHERE sequence IN (4, 5);
