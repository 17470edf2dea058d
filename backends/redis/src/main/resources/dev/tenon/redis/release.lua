-- Gives the lock back, if it is held under this token, and on to the head of its queue in the same step.
--
-- ARGV[4] token
local held = settle()
if not held or held.token ~= ARGV[4] then
  return { 'NOT_HELD' }
end
if handOver(held.awaited) then
  return { 'HANDED_OVER' }
end
return { 'FREED' }
