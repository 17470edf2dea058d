-- Shows a token to a resource, inside the user's transaction, and locks its row until the end of the transaction. The greatest that was
-- ever shown comes back as the last ID.
INSERT INTO tenon_fence_guard (resource, token) VALUES (:resource, LAST_INSERT_ID(:token)) AS new
ON DUPLICATE KEY UPDATE token = LAST_INSERT_ID(GREATEST(tenon_fence_guard.token, new.token))
