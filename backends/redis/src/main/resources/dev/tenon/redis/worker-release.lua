-- Ends a claim, if it is not over, and lowers the fence to what was in fact used: not below the floor, up to which the
-- holder before had used it, and not above the fence, up to which the holder was allowed to.
--
-- ARGV[1] slot, ARGV[2] claim, ARGV[3] last used (milliseconds)
local slot = leased(ARGV[1], ARGV[2])
if not slot then
  return { 'OVER' }
end
slot.fence = math.min(slot.fence, math.max(slot.floor, tonumber(ARGV[3])))
write(ARGV[1], slot)
free(ARGV[1], slot)
return { 'RELEASED' }
