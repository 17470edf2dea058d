-- Frees all rows of a transaction that was closed as it is: nobody will end its branches any more.
DELETE FROM tenon_row_lock WHERE gid = :gid
