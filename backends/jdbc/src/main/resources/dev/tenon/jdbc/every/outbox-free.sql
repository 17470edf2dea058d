-- Makes a message due that was behind another one. Too early does no harm: a claim looks again.
UPDATE tenon_outbox SET due_at = {clock}, behind = 0 WHERE id = :id AND behind = 1
