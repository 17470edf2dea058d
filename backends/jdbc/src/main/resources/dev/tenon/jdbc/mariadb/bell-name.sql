-- Makes the keeper's connection findable by its channel. 1: done. The user lock is a door plate, no lock of anybody's.
SELECT GET_LOCK(CONCAT('tenon-bell:', :channel), 0)
