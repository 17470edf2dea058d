-- Shows holder and queue. The one lock script whose cost grows with the queue: it is for people who look.
local held = settle()
if not held then
  return {}
end
return {
  nowDigits, held.token, held.session, held.owner, held.since, held.from, held.lease,
  redis.call('ZRANGE', queueKey, 0, -1), redis.call('HGETALL', waitsKey),
  redis.call('ZRANGE', deadlinesKey, 0, -1, 'WITHSCORES')
}
