-- KEYS: breaks, generation. ARGV: command, channel, lane, wait. Tells all of a break.
local breaks, generation, name, wait = KEYS[1], KEYS[2], ARGV[3], number(ARGV[4], day)
if not wait then return bad end
local now = time()
local held = tonumber(tidy('ZSCORE', breaks, name) or 0) or 0
local n = number(tidy('HGET', generation, 'n'), 2 ^ 52) or 0
if held > now + day + hour or held < now + wait then
	held, n = now + wait, n + 1
	redis.call('ZADD', breaks, text(held), name)
	redis.call('HSET', generation, 'n', text(n))
end
redis.call('ZREMRANGEBYSCORE', breaks, '-inf', text(now))
-- Also if this one is not the longest: if the clock was set back, others may take the
-- longest for over.
redis.call(ARGV[1], ARGV[2], text(n) .. ' ' .. text(held - now) .. ' ' .. name)
return { now }
