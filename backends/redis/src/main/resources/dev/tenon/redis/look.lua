-- What every lock script begins with: the moment, and the lock as it is. After it come the common cases, a free lock that is
-- taken and one that nobody waits for that is given back: a script runs from its beginning each time, and to set up all of
-- settle.lua costs more than either of them.
local now, nowDigits = clock()
local seen = redis.call('GET', KEYS[1])

-- How many tokens each grant reserves (LockMachine.TOKEN_STRIDE): what follows the one that is granted is for the threads of
-- the holder.
local stride = 32
