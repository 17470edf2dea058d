-- Puts a message off until the one before it has ended, or the time is over; or, if it is that one, writes it as it is, so that a
-- transaction which began before, and reads what was there then, can't end it without seeing this.
UPDATE tenon_outbox SET due_at = CASE WHEN :off = 1 THEN {clock} + :pause ELSE due_at END,
  behind = CASE WHEN :off = 1 THEN 1 ELSE behind END
WHERE id = :id
