-- Every slot that was ever claimed, and the leases: for people who look.
return { nowDigits, redis.call('HGETALL', slotsKey), redis.call('ZRANGE', leasesKey, 0, -1, 'WITHSCORES') }
