-- Notes in which incarnation of the database a group is, and from when on it gives worker IDs, unless that has changed since it was read.
UPDATE tenon_worker_group
SET incarnation = {incarnationWritten}, settled_at = :settledAt, longest_lease = :longestLease
WHERE name = :name AND incarnation = :incarnationBefore AND settled_at = :settledAtBefore
  AND longest_lease = :longestLeaseBefore
