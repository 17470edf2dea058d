-- Puts a message off until the one before it has ended, or the time is over.
UPDATE tenon_outbox SET due_at = {clock} + :pause, behind = 1 WHERE id = :id
