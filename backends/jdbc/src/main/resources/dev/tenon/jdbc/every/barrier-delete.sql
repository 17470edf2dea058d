-- Forgets a call.
DELETE FROM tenon_barrier WHERE gid = :gid AND branch = :branch AND operation = :operation
