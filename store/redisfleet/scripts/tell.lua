-- KEYS: breaks, generation. ARGV: command, channel, lane, wait. Tells all of a break.
local breaks, generation, name, wait = KEYS[1], KEYS[2], ARGV[3], number(ARGV[4], day)
if not wait then return bad end
local now = time()
local ends = tonumber(tidy('ZSCORE', breaks, name) or 0) or 0
local n, full = number(tidy('HGET', generation, 'n'), 2 ^ 52) or 0, nil
if ends > now + day + hour or ends < now + wait then
	ends = now + wait
	local kept = redis.pcall('ZADD', breaks, text(ends), name)
	if type(kept) == 'table' and kept.err then
		full = kept -- then those who listen are told nevertheless
	else
		n = n + 1
		redis.call('HSET', generation, 'n', text(n))
	end
end
redis.pcall('ZREMRANGEBYSCORE', breaks, '-inf', text(now))
-- Also if this one is not the longest: if the clock was set back, others may take the
-- longest for over.
redis.call(ARGV[1], ARGV[2], text(n) .. ' ' .. text(ends - now) .. ' ' .. name)
return full or { now }
