-- Writes a transaction and those of its branches that changed, in one round trip (routine/tx-write.sql).
CALL tenon_tx_write_1(:state, :suspended, :failing, :stuck, :epoch, :owner, :deadline, :due, :claim, :retry, :ends, :gid, :version, :changed, :put, :size, :had, :events, {alone})
