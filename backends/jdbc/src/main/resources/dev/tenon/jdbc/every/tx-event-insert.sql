-- Writes down what happened.
INSERT INTO tenon_tx_event (gid, version, position, happened_at, what, actor, detail)
VALUES (:gid, :version, :position, :at, :what, :actor, :detail)
