-- Begins a transaction; fails on the key if there is one of that ID.
INSERT INTO tenon_tx (gid, kind, service, name, state, suspended, version, epoch, owner, created_at, deadline_at, due_at,
                      claim_at, ended_at, parent, retry, digest, payload)
VALUES (:gid, :kind, :service, :name, :state, NULL, 1, 1, :owner, {clock}, {clock} + :deadline, {clock} + :lease,
        {clock} + :lease, NULL, :parent, :retry, :digest, :payload)
