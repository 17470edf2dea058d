-- Takes every one of these free locks, or none, in one round trip; the caller reads the answers off the rows, as they are
-- afterwards. Nothing is written unless all of them can be had, or where there is something for the state machine.
-- Rows are locked in the order of their names, so that nobody waits in a circle. Should a row come up between the look and
-- the writing, and not be free, the division fails on purpose, which takes everything back.
-- asked: one a line: name, request, owner, lease.
WITH asked AS MATERIALIZED (
  SELECT split_part(t.line, chr(9), 1) AS name, split_part(t.line, chr(9), 2) AS request,
         split_part(t.line, chr(9), 3) AS owner, CAST(split_part(t.line, chr(9), 4) AS bigint) AS lease
  FROM unnest(string_to_array(rtrim(:asked, chr(10)), chr(10))) AS t (line)
), n AS MATERIALIZED (
  SELECT {clock} AS now_at, (SELECT MAX(token) FROM tenon_fence) AS fence
), seen AS MATERIALIZED (
  SELECT * FROM tenon_lock WHERE name IN (SELECT a.name FROM asked a) ORDER BY name FOR NO KEY UPDATE
), put AS (
  INSERT INTO tenon_lock AS l (name, token, version, holder_request, holder_session, holder_owner, held_since,
                               held_until, waited, handed_to, touched_at, waiters)
  SELECT a.name, GREATEST(n.now_at, n.fence + {stride}), 1, a.request, :session, a.owner, n.now_at, n.now_at + a.lease,
         0, NULL, n.now_at, ''
  FROM asked a CROSS JOIN n
  WHERE NOT EXISTS (SELECT 1 FROM seen s
                    WHERE s.more <> '' OR s.waiters <> ''
                       OR s.holder_request IS NOT NULL AND s.held_until > GREATEST(n.now_at, s.touched_at))
  ORDER BY a.name COLLATE "C"
  ON CONFLICT (name) DO UPDATE SET
    token = GREATEST(excluded.touched_at, l.touched_at, l.token + {stride}),
    version = l.version + 1,
    holder_request = excluded.holder_request,
    holder_session = excluded.holder_session,
    holder_owner = excluded.holder_owner,
    held_since = GREATEST(excluded.touched_at, l.touched_at),
    held_until = GREATEST(excluded.touched_at, l.touched_at) + (excluded.held_until - excluded.held_since),
    waited = 0,
    handed_to = NULL,
    touched_at = GREATEST(excluded.touched_at, l.touched_at)
  WHERE l.more = '' AND l.waiters = ''
    AND (l.holder_request IS NULL OR l.held_until <= GREATEST(excluded.touched_at, l.touched_at))
  RETURNING l.*
)
SELECT r.*, n.now_at, n.fence,
       1 / CASE WHEN (SELECT COUNT(*) FROM put) IN (0, (SELECT COUNT(*) FROM asked)) THEN 1 ELSE 0 END AS whole
FROM n LEFT JOIN (SELECT * FROM put UNION ALL SELECT * FROM seen WHERE NOT EXISTS (SELECT 1 FROM put)) r ON TRUE
