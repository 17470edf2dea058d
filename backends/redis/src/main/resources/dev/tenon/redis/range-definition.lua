-- Tells the definition of a sequence, if there is one, and changes nothing.
--
-- KEYS[1] sequence, as in range-open.lua
local definition = redis.call('HMGET', KEYS[1], 'start', 'step', 'max')
return definition[1] and definition or {}
