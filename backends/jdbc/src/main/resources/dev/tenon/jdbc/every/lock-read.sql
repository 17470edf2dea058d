-- One lock as it is, with the time and the least token that a new row may begin at. Always gives a row: one without a
-- name where there is no lock of this name.
SELECT l.name, l.token, l.version, l.holder_request, l.holder_session, l.holder_owner, l.held_since,
       l.held_until, l.waited, l.handed_to, l.touched_at, l.waiters, l.more, c.now_at, c.fence
FROM (SELECT {clock} AS now_at, (SELECT MAX(token) FROM tenon_fence) AS fence) c
LEFT JOIN tenon_lock l ON l.name = :name
