-- The first message of each of up to twenty lanes, without its body; what is not needed is empty: no lane is.
(SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
  FROM tenon_outbox WHERE lane = :n0 ORDER BY id LIMIT 1)
UNION ALL (SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
  FROM tenon_outbox WHERE lane = :n1 ORDER BY id LIMIT 1)
UNION ALL (SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
  FROM tenon_outbox WHERE lane = :n2 ORDER BY id LIMIT 1)
UNION ALL (SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
  FROM tenon_outbox WHERE lane = :n3 ORDER BY id LIMIT 1)
UNION ALL (SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
  FROM tenon_outbox WHERE lane = :n4 ORDER BY id LIMIT 1)
UNION ALL (SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
  FROM tenon_outbox WHERE lane = :n5 ORDER BY id LIMIT 1)
UNION ALL (SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
  FROM tenon_outbox WHERE lane = :n6 ORDER BY id LIMIT 1)
UNION ALL (SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
  FROM tenon_outbox WHERE lane = :n7 ORDER BY id LIMIT 1)
UNION ALL (SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
  FROM tenon_outbox WHERE lane = :n8 ORDER BY id LIMIT 1)
UNION ALL (SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
  FROM tenon_outbox WHERE lane = :n9 ORDER BY id LIMIT 1)
UNION ALL (SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
  FROM tenon_outbox WHERE lane = :n10 ORDER BY id LIMIT 1)
UNION ALL (SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
  FROM tenon_outbox WHERE lane = :n11 ORDER BY id LIMIT 1)
UNION ALL (SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
  FROM tenon_outbox WHERE lane = :n12 ORDER BY id LIMIT 1)
UNION ALL (SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
  FROM tenon_outbox WHERE lane = :n13 ORDER BY id LIMIT 1)
UNION ALL (SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
  FROM tenon_outbox WHERE lane = :n14 ORDER BY id LIMIT 1)
UNION ALL (SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
  FROM tenon_outbox WHERE lane = :n15 ORDER BY id LIMIT 1)
UNION ALL (SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
  FROM tenon_outbox WHERE lane = :n16 ORDER BY id LIMIT 1)
UNION ALL (SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
  FROM tenon_outbox WHERE lane = :n17 ORDER BY id LIMIT 1)
UNION ALL (SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
  FROM tenon_outbox WHERE lane = :n18 ORDER BY id LIMIT 1)
UNION ALL (SELECT id, outbox, lane, target, message_key, message_type, message_id, attempts, behind, closed, created_at, due_at, ended_at,
  {clock} - created_at AS age, OCTET_LENGTH(body) AS size, history
  FROM tenon_outbox WHERE lane = :n19 ORDER BY id LIMIT 1)
