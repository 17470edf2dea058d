-- Asks every holder to let go: tells its session, and the answer to its next renewal.
--
-- ARGV[4] who asks
settle()
local holders = state and state.holders or {}
for _, held in ipairs(holders) do
  held.revokedBy = ARGV[4]
  redis.call('PUBLISH', channels .. held.session, table.concat({ name, held.token, ARGV[4] }, '\n'))
end
if #holders > 0 then
  write()
end
return { #holders }
