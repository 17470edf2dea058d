-- Begins a group; fails on its key if somebody else has begun it.
INSERT INTO tenon_worker_group (name, layout, capacity, incarnation, settled_at, longest_lease)
VALUES (:name, :layout, :capacity, {incarnationWritten}, :settledAt, :longestLease)
