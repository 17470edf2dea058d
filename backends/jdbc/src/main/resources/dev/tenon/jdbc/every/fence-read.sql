-- No token of a lock without a row is greater than this.
SELECT MAX(token) FROM tenon_fence
