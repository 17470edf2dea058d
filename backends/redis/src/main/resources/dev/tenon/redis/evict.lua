-- Takes the lock away from the holder that the caller has seen, and from no other. The floor that it returns is a token
-- that nobody ever holds: above the evicted ones, below every later one.
--
-- ARGV[4] token, which may be any of those that came with the holder's
settle()
local evicted
for index, held in ipairs(state and state.holders or {}) do
  local ahead = tonumber(ARGV[4]) - held.token
  if ahead >= 0 and ahead < stride then
    evicted = index
  end
end
if not evicted then
  return { 'NOT_HELD' }
end
table.remove(state.holders, evicted)
local floor = nextToken()
handOver()
write()
return { 'EVICTED', floor }
