-- The row of this process's bell, begun anew or refreshed.
INSERT INTO tenon_bell (channel, touched_at) VALUES (:channel, {clock}) AS new
ON DUPLICATE KEY UPDATE touched_at = new.touched_at
