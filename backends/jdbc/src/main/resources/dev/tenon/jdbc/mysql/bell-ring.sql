-- Wakes the process of a channel, as lock-release.sql does.
CALL tenon_bell_ring_1(:channel, @tenon_denied)
