-- Messages that are due later, those that are so next first: those on their way, those that have failed, and those behind them.
SELECT id, lane, target FROM tenon_outbox WHERE outbox = :outbox AND due_at > (SELECT {clock}) ORDER BY due_at, id LIMIT :limit
