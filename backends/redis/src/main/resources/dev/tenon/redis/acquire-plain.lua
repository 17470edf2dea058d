-- Takes a lock that is not there: nobody holds it, waits for it, or has left a lock-delay. Four commands; what it writes is
-- what settle.lua writes. For everything else take.lua goes on.
if not seen and ARGV[10] == '' then
  local token = nowDigits
  local last = redis.call('SET', KEYS[5], nowDigits, 'GET')
  if last and last + stride > now then
    token = string.format('%.0f', last + stride)
    redis.call('SET', KEYS[5], token)
  end
  local lock = 'alone\n0\n' .. token .. '\n' .. nowDigits .. '\n' .. ARGV[7] .. '\n' .. nowDigits .. '\n' .. ARGV[4] .. '\n'
    .. ARGV[5] .. '\n' .. ARGV[6] .. '\n' .. ARGV[8] .. '\n' .. ARGV[9] .. '\n\n'
  redis.call('SET', KEYS[1], lock, 'PX', math.ceil((ARGV[7] + ARGV[9]) / 1000) + 1000)
  return { 'GRANTED', token, tonumber(ARGV[7]) }
end
