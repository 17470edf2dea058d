-- How many messages each of up to twenty lanes has, by its place in the list, counted up to a limit; what is not needed is empty:
-- no lane is.
SELECT 0 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n0 LIMIT :limit) l0
UNION ALL SELECT 1 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n1 LIMIT :limit) l1
UNION ALL SELECT 2 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n2 LIMIT :limit) l2
UNION ALL SELECT 3 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n3 LIMIT :limit) l3
UNION ALL SELECT 4 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n4 LIMIT :limit) l4
UNION ALL SELECT 5 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n5 LIMIT :limit) l5
UNION ALL SELECT 6 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n6 LIMIT :limit) l6
UNION ALL SELECT 7 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n7 LIMIT :limit) l7
UNION ALL SELECT 8 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n8 LIMIT :limit) l8
UNION ALL SELECT 9 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n9 LIMIT :limit) l9
UNION ALL SELECT 10 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n10 LIMIT :limit) l10
UNION ALL SELECT 11 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n11 LIMIT :limit) l11
UNION ALL SELECT 12 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n12 LIMIT :limit) l12
UNION ALL SELECT 13 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n13 LIMIT :limit) l13
UNION ALL SELECT 14 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n14 LIMIT :limit) l14
UNION ALL SELECT 15 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n15 LIMIT :limit) l15
UNION ALL SELECT 16 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n16 LIMIT :limit) l16
UNION ALL SELECT 17 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n17 LIMIT :limit) l17
UNION ALL SELECT 18 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n18 LIMIT :limit) l18
UNION ALL SELECT 19 AS place, COUNT(*) AS messages FROM (SELECT id FROM tenon_outbox WHERE lane = :n19 LIMIT :limit) l19
