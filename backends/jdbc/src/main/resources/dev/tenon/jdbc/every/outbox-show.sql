-- One message of any outbox, without its body.
SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
FROM tenon_outbox WHERE id = :id
