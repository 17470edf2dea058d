-- The messages of a lane, in their order, without their bodies.
SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
FROM tenon_outbox WHERE lane = :lane AND id > :after ORDER BY id LIMIT :limit
