-- Writes a message and commits, in one round trip. If the first fails, nothing of the rest is done.
BEGIN NOT ATOMIC
  INSERT INTO tenon_outbox (outbox, lane, due_at, behind, claim, attempts, created_at, message_id, target, message_key,
    message_type, headers, body, history)
  VALUES (:outbox, :lane, {clock} + :lease, 0, :claim, :claim, {clock}, :message, :target, :key, :type, :headers, :body, '');
  COMMIT;
  SELECT LAST_INSERT_ID() AS id;
END
