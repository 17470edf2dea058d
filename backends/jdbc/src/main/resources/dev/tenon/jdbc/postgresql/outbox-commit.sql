-- Writes a message and commits, in one round trip: the driver sends both together, and the server passes over the second if the
-- first fails.
INSERT INTO tenon_outbox (outbox, lane, due_at, behind, claim, attempts, created_at, message_id, target, message_key,
  message_type, headers, body, history)
VALUES (:outbox, :lane, {clock} + :lease, 0, :claim, :claim, {clock}, :message, :target, :key, :type, :headers, :body, '')
RETURNING id;
COMMIT
