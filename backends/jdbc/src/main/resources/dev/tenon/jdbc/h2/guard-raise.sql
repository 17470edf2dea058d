-- Shows a token to a resource, inside the user's transaction: the greatest that was ever shown comes back, and the row stays
-- locked until the end of the transaction. What comes back is greater than :token exactly if that is stale; then nothing moved.
SELECT token FROM FINAL TABLE (
  MERGE INTO tenon_fence_guard AS g
  USING (SELECT CAST(:resource AS VARCHAR(200)) AS resource, CAST(:token AS BIGINT) AS token) AS shown
  ON g.resource = shown.resource
  WHEN MATCHED THEN UPDATE SET token = GREATEST(g.token, shown.token)
  WHEN NOT MATCHED THEN INSERT (resource, token) VALUES (shown.resource, shown.token))
