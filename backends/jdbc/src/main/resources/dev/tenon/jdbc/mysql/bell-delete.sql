-- Removes the bell of a process that is gone.
DELETE FROM tenon_bell WHERE channel = :channel
