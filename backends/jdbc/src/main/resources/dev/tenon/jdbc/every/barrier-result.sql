-- Keeps what came of a call, for those who call again.
UPDATE tenon_barrier SET result = :result WHERE gid = :gid AND branch = :branch AND operation = :operation
