-- Ends a claim, if it is not over, and sets the fence to what was in fact used, but not below the floor: up to there the
-- holder before may have used it.
--
-- ARGV[1] slot, ARGV[2] claim, ARGV[3] last used (milliseconds)
local slot = leased(ARGV[1], ARGV[2])
if not slot then
  return { 'OVER' }
end
slot.fence = math.max(slot.floor, tonumber(ARGV[3]))
write(ARGV[1], slot)
free(ARGV[1], slot)
return { 'RELEASED' }
