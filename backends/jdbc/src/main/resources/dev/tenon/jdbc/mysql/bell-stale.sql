-- Bells of processes that are long gone, looked up without waiting for those that are kept locked.
SELECT channel FROM tenon_bell WHERE touched_at < {clock} - 86400000000
