-- One group of worker IDs, and the incarnation of the database now. Always gives a row, for the time: one without a layout where
-- there is no such group.
SELECT g.layout, g.capacity, g.incarnation, g.settled_at, g.longest_lease, {incarnation} AS incarnation_now, c.now_at
FROM (SELECT {clock} AS now_at) c LEFT JOIN tenon_worker_group g ON g.name = :name
