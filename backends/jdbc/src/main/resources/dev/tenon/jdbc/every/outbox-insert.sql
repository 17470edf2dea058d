-- Writes a message: due at once, or claimed until its lease is over.
INSERT INTO tenon_outbox (outbox, lane, due_at, behind, claim, attempts, created_at, message_id, target, message_key,
  message_type, headers, body, history)
VALUES (:outbox, :lane, {clock} + :lease, 0, :claim, :claim, {clock}, :message, :target, :key, :type, :headers, :body, '')
