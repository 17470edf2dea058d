-- The first message of each of up to twenty lanes, locked: whoever is just putting it off, or giving it back, has it locked until
-- that is committed. What is not needed is empty: no lane is.
SELECT o.id, o.lane, o.behind, CASE WHEN o.due_at <= {clock} THEN 1 ELSE 0 END AS due FROM tenon_outbox o WHERE o.id IN (
  (SELECT l.id FROM tenon_outbox l WHERE l.lane = :n0 ORDER BY l.id LIMIT 1),
  (SELECT l.id FROM tenon_outbox l WHERE l.lane = :n1 ORDER BY l.id LIMIT 1),
  (SELECT l.id FROM tenon_outbox l WHERE l.lane = :n2 ORDER BY l.id LIMIT 1),
  (SELECT l.id FROM tenon_outbox l WHERE l.lane = :n3 ORDER BY l.id LIMIT 1),
  (SELECT l.id FROM tenon_outbox l WHERE l.lane = :n4 ORDER BY l.id LIMIT 1),
  (SELECT l.id FROM tenon_outbox l WHERE l.lane = :n5 ORDER BY l.id LIMIT 1),
  (SELECT l.id FROM tenon_outbox l WHERE l.lane = :n6 ORDER BY l.id LIMIT 1),
  (SELECT l.id FROM tenon_outbox l WHERE l.lane = :n7 ORDER BY l.id LIMIT 1),
  (SELECT l.id FROM tenon_outbox l WHERE l.lane = :n8 ORDER BY l.id LIMIT 1),
  (SELECT l.id FROM tenon_outbox l WHERE l.lane = :n9 ORDER BY l.id LIMIT 1),
  (SELECT l.id FROM tenon_outbox l WHERE l.lane = :n10 ORDER BY l.id LIMIT 1),
  (SELECT l.id FROM tenon_outbox l WHERE l.lane = :n11 ORDER BY l.id LIMIT 1),
  (SELECT l.id FROM tenon_outbox l WHERE l.lane = :n12 ORDER BY l.id LIMIT 1),
  (SELECT l.id FROM tenon_outbox l WHERE l.lane = :n13 ORDER BY l.id LIMIT 1),
  (SELECT l.id FROM tenon_outbox l WHERE l.lane = :n14 ORDER BY l.id LIMIT 1),
  (SELECT l.id FROM tenon_outbox l WHERE l.lane = :n15 ORDER BY l.id LIMIT 1),
  (SELECT l.id FROM tenon_outbox l WHERE l.lane = :n16 ORDER BY l.id LIMIT 1),
  (SELECT l.id FROM tenon_outbox l WHERE l.lane = :n17 ORDER BY l.id LIMIT 1),
  (SELECT l.id FROM tenon_outbox l WHERE l.lane = :n18 ORDER BY l.id LIMIT 1),
  (SELECT l.id FROM tenon_outbox l WHERE l.lane = :n19 ORDER BY l.id LIMIT 1))
FOR UPDATE
