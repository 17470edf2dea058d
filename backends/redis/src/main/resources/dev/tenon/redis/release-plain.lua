-- Gives back a lock that only this token holds, that nobody waits for, and whose lease is not over: three commands. For
-- everything else release.lua goes on.
if seen then
  local mine = 'alone\n0\n' .. ARGV[4] .. '\n'
  if string.sub(seen, 1, #mine) == mine then
    local from, lease = string.match(seen, '^(%d+)\n(%d+)', #mine + 1)
    if from + lease > now then
      redis.call('DEL', KEYS[1])
      return { 'FREED' }
    end
  end
end
