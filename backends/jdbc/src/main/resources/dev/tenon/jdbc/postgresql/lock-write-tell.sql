-- As lock-write.sql, and tells those that were granted the lock, one a line, the channel first, in the same round trip.
-- written is 0 if somebody has written the row since it was read.
WITH put AS (
  UPDATE tenon_lock
  SET token = :token, version = version + 1, holder_request = :holderRequest, holder_session = :holderSession,
      holder_owner = :holderOwner, held_since = :heldSince, held_until = :heldUntil, waited = :waited,
      handed_to = :handedTo, touched_at = :now, waiters = :waiters, more = :more
  WHERE name = :name AND version = :version AND token = :before
  RETURNING name
)
SELECT COUNT(CAST(pg_notify('tenon_' || split_part(t.line, chr(9), 1),
                            substr(t.line, position(chr(9) IN t.line) + 1)) AS text)) AS written
FROM put CROSS JOIN unnest(string_to_array(:told, chr(10))) AS t (line)
