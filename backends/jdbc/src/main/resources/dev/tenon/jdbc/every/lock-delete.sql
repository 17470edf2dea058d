-- Forgets a lock, unless somebody has written its row since it was looked at.
DELETE FROM tenon_lock WHERE name = :name AND version = :version AND token <= :fence
