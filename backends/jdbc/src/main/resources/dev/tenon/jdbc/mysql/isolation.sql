-- For the transaction that begins next, and for no other. In REPEATABLE READ, which is what a connection has unless told otherwise,
-- a claim locks the gaps beside what is due, and the gap where new rows go if there are none: whoever inserts would wait for its commit.
SET TRANSACTION ISOLATION LEVEL READ COMMITTED
