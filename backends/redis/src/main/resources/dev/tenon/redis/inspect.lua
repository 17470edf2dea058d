-- Shows holders and queue. The one lock script whose cost grows with the queue: it is for people who look.
settle()
if not state then
  return {}
end
local holders = {}
for index, held in ipairs(state.holders) do
  holders[index] = { held.token, held.session, held.owner, held.since, held.from, held.lease, held.mode, held.revokedBy }
end
return {
  nowDigits, holders,
  redis.call('ZRANGE', queueKey, 0, -1), redis.call('HGETALL', waitsKey),
  redis.call('ZRANGE', deadlinesKey, 0, -1, 'WITHSCORES')
}
