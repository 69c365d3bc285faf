-- KEYS: breaks, generation. ARGV: command, channel, lane, wait. Tells all of a break.
local breaks, generation, name, wait = KEYS[1], KEYS[2], ARGV[3], number(ARGV[4], day)
if not wait then return bad end
local now = time()
local held = tonumber(tidy('ZSCORE', breaks, name) or 0) or 0
if held <= now + day + hour and held >= now + wait then return { now } end
local n = (number(tidy('HGET', generation, 'n'), 2 ^ 52) or 0) + 1
redis.call('ZADD', breaks, text(now + wait), name)
redis.call('HSET', generation, 'n', text(n))
redis.call('ZREMRANGEBYSCORE', breaks, '-inf', text(now))
redis.call(ARGV[1], ARGV[2], text(n) .. ' ' .. text(wait) .. ' ' .. name)
return { now }
