-- The greatest token that a resource was ever shown. FOR UPDATE reads what is committed, not the transaction's snapshot.
SELECT token FROM tenon_fence_guard WHERE resource = :resource FOR UPDATE
