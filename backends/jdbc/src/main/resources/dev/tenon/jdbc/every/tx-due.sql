-- Whether anything is due: what an idle process asks, and all that it asks.
SELECT 1 FROM tenon_tx WHERE service = :service AND claim_at <= (SELECT {clock}) ORDER BY claim_at LIMIT 1
