-- Somebody gave the last entry the highest number there is.
-- expect: 8 sequence
UPDATE entry SET sequence = 9223372036854775807 WHERE sequence = 8;
