-- Gives a lock back, or on to the head of its queue, and tells that one's process, in one round trip. done says whether
-- it was so; if not, the caller goes on from the row: the token is not the right one, the head has given up, or there is
-- more in the row than plain exclusive holding.
-- A waiter of the process that releases is told by that process itself, without the bell.
WITH locked AS MATERIALIZED (
  SELECT * FROM tenon_lock WHERE name = :name FOR NO KEY UPDATE
), old AS MATERIALIZED (
  SELECT o.*, GREATEST({clock}, o.touched_at) AS now_at,
         string_to_array(split_part(o.waiters, chr(10), 1), chr(9)) AS head
  FROM locked o
), put AS (
  UPDATE tenon_lock l
  SET token = CASE WHEN o.waiters = '' THEN o.token ELSE GREATEST(o.now_at, o.token + {stride}) END,
      version = o.version + 1,
      holder_request = o.head[1],
      holder_session = o.head[2],
      holder_owner = o.head[3],
      held_since = o.now_at,
      held_until = o.now_at + COALESCE(LEAST(CAST(o.head[4] AS bigint), :claim), 0),
      waited = COALESCE(o.now_at - CAST(o.head[5] AS bigint), 0),
      handed_to = NULLIF(split_part(o.head[2], ' ', 1), :channel),
      touched_at = o.now_at,
      waiters = substr(o.waiters, position(chr(10) IN o.waiters) + 1)
  FROM old o
  WHERE l.name = o.name AND o.token = :token AND o.holder_request IS NOT NULL AND o.held_until > o.now_at
    AND o.more = '' AND (o.waiters = '' OR CAST(o.head[6] AS bigint) > o.now_at)
  RETURNING l.*
), told AS (
  SELECT CAST(pg_notify('tenon_' || p.handed_to, p.name || chr(9) || p.holder_request || chr(9) || p.holder_session
              || chr(9) || p.token || chr(9) || p.waited || chr(9) || (p.held_until - p.held_since)) AS text) AS done
  FROM put p WHERE p.handed_to IS NOT NULL
)
SELECT r.*, GREATEST({clock}, r.touched_at) AS now_at, 0 AS fence,
       CASE WHEN r.done = 1 AND r.holder_request IS NOT NULL THEN 1 ELSE 0 END AS handed, 0 AS denied,
       (SELECT COUNT(*) FROM told) AS told
FROM (SELECT p.*, 1 AS done FROM put p
      UNION ALL
      SELECT o.*, 0 AS done FROM locked o WHERE NOT EXISTS (SELECT 1 FROM put)) r
