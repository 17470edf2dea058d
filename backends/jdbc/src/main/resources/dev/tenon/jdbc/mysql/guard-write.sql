-- Shows a token to a resource, inside the user's transaction, and locks its row until the end of the transaction. What it is
-- then is for guard-lock.sql to tell: how many rows this has changed depends on an option of the user's connection.
INSERT INTO tenon_fence_guard (resource, token) VALUES (:resource, :token) AS new
ON DUPLICATE KEY UPDATE token = GREATEST(tenon_fence_guard.token, new.token)
