-- Shows a token to a resource, inside the user's transaction: the greatest that was ever shown comes back, and the row stays
-- locked until the end of the transaction. What comes back is greater than :token exactly if that is stale; then nothing moved.
INSERT INTO tenon_fence_guard (resource, token) VALUES (:resource, :token)
ON DUPLICATE KEY UPDATE token = GREATEST(token, VALUES(token))
RETURNING token
