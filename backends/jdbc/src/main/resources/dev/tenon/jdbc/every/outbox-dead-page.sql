-- Dead letters that a filter means, without their bodies; an empty text means any. The order is not one of an index, so that those
-- are found by being dead, and not by going through all messages in their order.
SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
FROM tenon_outbox
WHERE outbox = :outbox AND closed = 'dead' AND id > :after AND (:target = '' OR target = :target)
  AND (:key = '' OR message_key = :key) AND (:type = '' OR message_type = :type)
ORDER BY id + 0 LIMIT :limit
