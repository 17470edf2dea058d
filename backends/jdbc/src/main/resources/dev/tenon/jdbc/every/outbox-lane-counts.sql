-- How many messages each of up to twenty lanes has, by its place in the list, counted up to a limit; what is not needed is empty:
-- no lane is. They are counted in their order, so that no planner takes the whole table for it.
SELECT 0 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n0 ORDER BY id LIMIT :limit) l0
UNION ALL SELECT 1 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n1 ORDER BY id LIMIT :limit) l1
UNION ALL SELECT 2 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n2 ORDER BY id LIMIT :limit) l2
UNION ALL SELECT 3 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n3 ORDER BY id LIMIT :limit) l3
UNION ALL SELECT 4 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n4 ORDER BY id LIMIT :limit) l4
UNION ALL SELECT 5 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n5 ORDER BY id LIMIT :limit) l5
UNION ALL SELECT 6 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n6 ORDER BY id LIMIT :limit) l6
UNION ALL SELECT 7 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n7 ORDER BY id LIMIT :limit) l7
UNION ALL SELECT 8 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n8 ORDER BY id LIMIT :limit) l8
UNION ALL SELECT 9 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n9 ORDER BY id LIMIT :limit) l9
UNION ALL SELECT 10 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n10 ORDER BY id LIMIT :limit) l10
UNION ALL SELECT 11 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n11 ORDER BY id LIMIT :limit) l11
UNION ALL SELECT 12 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n12 ORDER BY id LIMIT :limit) l12
UNION ALL SELECT 13 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n13 ORDER BY id LIMIT :limit) l13
UNION ALL SELECT 14 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n14 ORDER BY id LIMIT :limit) l14
UNION ALL SELECT 15 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n15 ORDER BY id LIMIT :limit) l15
UNION ALL SELECT 16 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n16 ORDER BY id LIMIT :limit) l16
UNION ALL SELECT 17 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n17 ORDER BY id LIMIT :limit) l17
UNION ALL SELECT 18 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n18 ORDER BY id LIMIT :limit) l18
UNION ALL SELECT 19 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n19 ORDER BY id LIMIT :limit) l19
