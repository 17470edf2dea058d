-- Deletes a lock's key if it holds the caller's value: looking and deleting in one step, so that nobody can get the lock in
-- between and lose it at once. KEYS[1]: the lock; ARGV[1]: the owner. Returns how many keys were deleted.
-- tag::release[]
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
-- end::release[]
