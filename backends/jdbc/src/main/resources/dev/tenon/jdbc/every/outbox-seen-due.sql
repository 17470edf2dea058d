-- Messages that are due, those that have been so for longest first: only where they stand, for the lanes that they are in. The
-- clock is read once, so that the index takes the comparison.
SELECT id, lane, target FROM tenon_outbox WHERE outbox = :outbox AND due_at <= (SELECT {clock}) ORDER BY due_at, id LIMIT :limit
