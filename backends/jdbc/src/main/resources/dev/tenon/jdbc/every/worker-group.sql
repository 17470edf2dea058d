-- One group of worker IDs. Always gives a row, for the time: one without a layout where there is no such group.
SELECT g.layout, g.capacity, c.now_at
FROM (SELECT {clock} AS now_at) c LEFT JOIN tenon_worker_group g ON g.name = :name
