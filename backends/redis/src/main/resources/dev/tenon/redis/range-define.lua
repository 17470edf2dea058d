-- Tells the definition of a sequence, which now exists: with the definition given here, or with the one it had.
return redis.call('HMGET', key, 'start', 'step', 'max')
