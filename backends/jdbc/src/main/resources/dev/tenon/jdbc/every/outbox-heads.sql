-- The first messages of each of up to twenty lanes, fifty of each at most, as they are now, and whether a claim could take them, as far
-- as they go; what is not needed is empty: no lane is. Asked for by lane and not by message, as MariaDB looks for what stands before
-- a message from the end of the lane.
(SELECT id, lane, CASE WHEN behind = 1 OR due_at <= {clock} THEN 1 ELSE 0 END FROM tenon_outbox WHERE lane = :n0
  ORDER BY id LIMIT 50)
UNION ALL (SELECT id, lane, CASE WHEN behind = 1 OR due_at <= {clock} THEN 1 ELSE 0 END FROM tenon_outbox WHERE lane = :n1
  ORDER BY id LIMIT 50)
UNION ALL (SELECT id, lane, CASE WHEN behind = 1 OR due_at <= {clock} THEN 1 ELSE 0 END FROM tenon_outbox WHERE lane = :n2
  ORDER BY id LIMIT 50)
UNION ALL (SELECT id, lane, CASE WHEN behind = 1 OR due_at <= {clock} THEN 1 ELSE 0 END FROM tenon_outbox WHERE lane = :n3
  ORDER BY id LIMIT 50)
UNION ALL (SELECT id, lane, CASE WHEN behind = 1 OR due_at <= {clock} THEN 1 ELSE 0 END FROM tenon_outbox WHERE lane = :n4
  ORDER BY id LIMIT 50)
UNION ALL (SELECT id, lane, CASE WHEN behind = 1 OR due_at <= {clock} THEN 1 ELSE 0 END FROM tenon_outbox WHERE lane = :n5
  ORDER BY id LIMIT 50)
UNION ALL (SELECT id, lane, CASE WHEN behind = 1 OR due_at <= {clock} THEN 1 ELSE 0 END FROM tenon_outbox WHERE lane = :n6
  ORDER BY id LIMIT 50)
UNION ALL (SELECT id, lane, CASE WHEN behind = 1 OR due_at <= {clock} THEN 1 ELSE 0 END FROM tenon_outbox WHERE lane = :n7
  ORDER BY id LIMIT 50)
UNION ALL (SELECT id, lane, CASE WHEN behind = 1 OR due_at <= {clock} THEN 1 ELSE 0 END FROM tenon_outbox WHERE lane = :n8
  ORDER BY id LIMIT 50)
UNION ALL (SELECT id, lane, CASE WHEN behind = 1 OR due_at <= {clock} THEN 1 ELSE 0 END FROM tenon_outbox WHERE lane = :n9
  ORDER BY id LIMIT 50)
UNION ALL (SELECT id, lane, CASE WHEN behind = 1 OR due_at <= {clock} THEN 1 ELSE 0 END FROM tenon_outbox WHERE lane = :n10
  ORDER BY id LIMIT 50)
UNION ALL (SELECT id, lane, CASE WHEN behind = 1 OR due_at <= {clock} THEN 1 ELSE 0 END FROM tenon_outbox WHERE lane = :n11
  ORDER BY id LIMIT 50)
UNION ALL (SELECT id, lane, CASE WHEN behind = 1 OR due_at <= {clock} THEN 1 ELSE 0 END FROM tenon_outbox WHERE lane = :n12
  ORDER BY id LIMIT 50)
UNION ALL (SELECT id, lane, CASE WHEN behind = 1 OR due_at <= {clock} THEN 1 ELSE 0 END FROM tenon_outbox WHERE lane = :n13
  ORDER BY id LIMIT 50)
UNION ALL (SELECT id, lane, CASE WHEN behind = 1 OR due_at <= {clock} THEN 1 ELSE 0 END FROM tenon_outbox WHERE lane = :n14
  ORDER BY id LIMIT 50)
UNION ALL (SELECT id, lane, CASE WHEN behind = 1 OR due_at <= {clock} THEN 1 ELSE 0 END FROM tenon_outbox WHERE lane = :n15
  ORDER BY id LIMIT 50)
UNION ALL (SELECT id, lane, CASE WHEN behind = 1 OR due_at <= {clock} THEN 1 ELSE 0 END FROM tenon_outbox WHERE lane = :n16
  ORDER BY id LIMIT 50)
UNION ALL (SELECT id, lane, CASE WHEN behind = 1 OR due_at <= {clock} THEN 1 ELSE 0 END FROM tenon_outbox WHERE lane = :n17
  ORDER BY id LIMIT 50)
UNION ALL (SELECT id, lane, CASE WHEN behind = 1 OR due_at <= {clock} THEN 1 ELSE 0 END FROM tenon_outbox WHERE lane = :n18
  ORDER BY id LIMIT 50)
UNION ALL (SELECT id, lane, CASE WHEN behind = 1 OR due_at <= {clock} THEN 1 ELSE 0 END FROM tenon_outbox WHERE lane = :n19
  ORDER BY id LIMIT 50)
