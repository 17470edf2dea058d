-- Messages behind which others are to be put off, locked, so that whoever ends them waits for that, and then finds those; what
-- another process is at is passed over. What is not needed is 0: no message has that number. By key: in a small table this server
-- would look at all, and lock them.
SELECT id FROM tenon_outbox FORCE INDEX (PRIMARY)
WHERE id IN (
  :n0, :n1, :n2, :n3, :n4, :n5, :n6, :n7, :n8, :n9, :n10, :n11, :n12, :n13, :n14, :n15, :n16, :n17, :n18, :n19)
FOR UPDATE SKIP LOCKED
