-- Takes the next numbers of a sequence, or those that are left.
--
-- ARGV[5] how many, up to 2^31
local count = tonumber(ARGV[5])
local sequence = redis.call('HMGET', key, 'next', 'step')
local first, step = sequence[1], tonumber(sequence[2])

-- As a double the result may be inexact far from zero, but never on the wrong side of it.
local left = redis.call('HINCRBY', key, 'left', text(-count))
if left < -1 then
  redis.call('HSET', key, 'left', '-1')
  count = count + left + 1
  if count <= 0 then
    return { 'EXHAUSTED' }
  end
elseif left >= 0 then
  -- count * step reaches 2^62: in two parts, each of which has at most 48 digits before its zeros and so is exact.
  local high = math.floor(count / 65536)
  redis.call('HINCRBY', key, 'next', text(high * step * 65536))
  redis.call('HINCRBY', key, 'next', text((count - high * 65536) * step))
end
return { 'TAKEN', first, text(count), text(step) }
