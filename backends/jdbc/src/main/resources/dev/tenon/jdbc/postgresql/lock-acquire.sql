-- Takes a free lock, or a place at the end of its queue, in one round trip; the caller reads the answer off the row.
-- Nothing is written (and nothing flushed) for a request that can only be told that the lock is taken, nor for a
-- repeated one, nor where a waiter is to be promoted, nor in a row with more in it than plain exclusive holding: those are
-- left to the state machine.
WITH seen AS (
  SELECT * FROM tenon_lock WHERE name = :name
), put AS (
  INSERT INTO tenon_lock AS l (name, token, version, holder_request, holder_session, holder_owner, held_since,
                               held_until, waited, handed_to, touched_at, waiters)
  SELECT :name, GREATEST(n.now_at, n.fence + {stride}), 1, :request, :session, :owner, n.now_at,
         n.now_at + :lease, 0, NULL, n.now_at, ''
  FROM (SELECT {clock} AS now_at, (SELECT MAX(token) FROM tenon_fence) AS fence OFFSET 0) n
  WHERE :wait > 0 OR NOT EXISTS (SELECT 1 FROM seen WHERE holder_request IS NOT NULL AND held_until > n.now_at)
  ON CONFLICT (name) DO UPDATE SET
    (token, version, holder_request, holder_session, holder_owner, held_since, held_until, waited, handed_to,
     touched_at, waiters) = (
      SELECT CASE WHEN t.free THEN GREATEST(t.now_at, l.token + {stride}) ELSE l.token END,
             l.version + 1,
             CASE WHEN t.free THEN excluded.holder_request ELSE l.holder_request END,
             CASE WHEN t.free THEN excluded.holder_session ELSE l.holder_session END,
             CASE WHEN t.free THEN excluded.holder_owner ELSE l.holder_owner END,
             CASE WHEN t.free THEN t.now_at ELSE l.held_since END,
             CASE WHEN t.free THEN t.now_at + :lease ELSE l.held_until END,
             CASE WHEN t.free THEN 0 ELSE l.waited END,
             CASE WHEN t.free THEN NULL ELSE l.handed_to END,
             t.now_at,
             CASE WHEN t.free THEN ''
                  ELSE l.waiters || :request || chr(9) || :session || chr(9) || :owner || chr(9) || :lease || chr(9)
                       || t.now_at || chr(9) || (t.now_at + :wait) || chr(10) END
      FROM (SELECT g.now_at, l.holder_request IS NULL OR l.held_until <= g.now_at AS free
            FROM (SELECT GREATEST(excluded.touched_at, l.touched_at) AS now_at OFFSET 0) g) t)
  WHERE l.more = ''
    AND ((l.waiters = ''
          AND (l.holder_request IS NULL OR l.held_until <= GREATEST(excluded.touched_at, l.touched_at)))
      OR (:wait > 0
          AND l.holder_request <> :request AND l.held_until > GREATEST(excluded.touched_at, l.touched_at)
          AND position(chr(10) || :request || chr(9) IN chr(10) || l.waiters) = 0))
  RETURNING l.*
)
SELECT r.*, GREATEST({clock}, r.touched_at) AS now_at, 0 AS fence
FROM (SELECT * FROM put UNION ALL SELECT * FROM seen WHERE NOT EXISTS (SELECT 1 FROM put)) r
