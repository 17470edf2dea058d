-- Whether the user may call a stored routine: this one rings for nobody.
CALL tenon_bell_ring_1(:channel, @tenon_denied)
