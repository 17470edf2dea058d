-- Gives the lock back, if it is held under this token, and on to the head of its queue in the same step.
--
-- ARGV[4] token
settle()
local held, index
if state then
  held, index = heldUnder(ARGV[4])
end
if not held then
  return { 'NOT_HELD' }
end
table.remove(state.holders, index)
local granted = handOver()
write()
return { granted > 0 and 'HANDED_OVER' or 'FREED' }
