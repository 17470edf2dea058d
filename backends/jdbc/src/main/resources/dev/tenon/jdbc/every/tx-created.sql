-- When a transaction began, and when it is due: what the database has chosen.
SELECT created_at, deadline_at, due_at FROM tenon_tx WHERE gid = :gid
