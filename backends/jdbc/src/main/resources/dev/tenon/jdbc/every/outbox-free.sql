-- Makes the first message of a lane due that was behind another one; a claim takes those behind it, too.
UPDATE tenon_outbox SET due_at = {clock}, behind = 0 WHERE id = :id AND behind = 1
