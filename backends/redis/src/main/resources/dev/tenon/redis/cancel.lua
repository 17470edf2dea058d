-- Takes a request out of the queue. It leaves before time does its work: one that gives up must not be handed the lock
-- on its way out. If it was handed the lock before, the answer says so, and the lock stays held.
--
-- ARGV[4] request
leaveQueue(ARGV[4])
settle(true)
for _, held in ipairs(state and state.holders or {}) do
  if held.request == ARGV[4] then
    return { 'WAS_GRANTED', held.token, held.ends - now }
  end
end
return { 'GONE' }
