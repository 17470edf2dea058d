-- Takes the lock away from the holder that the caller has seen, and from no other. The floor that it returns is a token
-- that nobody ever holds: above the evicted one, below every later one.
--
-- ARGV[4] token
local held = settle()
if not held or held.token ~= ARGV[4] then
  return { 'NOT_HELD' }
end
local floor = nextToken()
handOver(held.awaited)
return { 'EVICTED', floor }
