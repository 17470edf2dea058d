-- Begins a transaction with its branches, in one round trip (routine/tx-begin.sql).
CALL tenon_tx_begin_1(:gid, :kind, :service, :name, :state, :owner, :deadline, :lease, :parent, :retry, :digest, :payload, :branches, {alone})
