-- The stored routines of this version that the user may know of.
SELECT routine_name FROM information_schema.routines
WHERE routine_schema = DATABASE() AND routine_type = 'PROCEDURE' AND routine_name IN (
  'tenon_bell_ring_1', 'tenon_bell_listen_1', 'tenon_lock_acquire_1', 'tenon_lock_acquire_all_1',
  'tenon_lock_release_1', 'tenon_lock_write_tell_1', 'tenon_range_next_1', 'tenon_tx_begin_1', 'tenon_tx_write_1')
