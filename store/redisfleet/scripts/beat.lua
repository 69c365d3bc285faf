-- Sends a beat to the caller, who so hears that it hears. The reply says in which generation
-- the data is, and when data was lost last. At times the caller also tells how it is; then the
-- reply also lists profiles that processes have told of late, the newest first.
--
-- KEYS: breaks, generation, and then profiles and process. ARGV: command, channel, beat, the
-- generation that the caller knows, a new one, its layout, and then its profile and all that it
-- tells.
local generation, profiles, process, known = KEYS[2], KEYS[3], KEYS[4], ARGV[4]
local now = time()
-- A server that takes no writes keeps nothing of this. It comes first: whatever is wrong, operators are to see it.
if process then
	redis.pcall('SET', process, text(now) .. '\n' .. ARGV[8], 'PX', '60000')
	pcall(tidy, 'ZREMRANGEBYSCORE', profiles, '-inf', text(now - 10 * second))
	redis.pcall('ZADD', profiles, text(now), ARGV[7])
end
local layout = number(tidy('HGET', generation, 'layout'), 1000)
if layout and text(layout) ~= ARGV[6] then return { now, '', 0, text(layout) } end
local id = tidy('HGET', generation, 'id')
if id and #id ~= 26 then id = nil end
local lost = number(redis.call('HGET', generation, 'lost'), now) or 0
if not layout then redis.call('HSET', generation, 'layout', ARGV[6]) end
if not id or known ~= '' and id ~= known then
	id = id or ARGV[5]
	-- the first who knows the old generation says when; the others follow soon
	if known ~= '' and lost < now - 10 * second then lost = now end
	redis.call('HSET', generation, 'id', id, 'lost', text(lost))
end
local n = number(redis.call('HGET', generation, 'n'), 2 ^ 52) or 0
redis.call(ARGV[1], ARGV[2], text(n) .. ' ' .. ARGV[3])
if not process then return { now, id, lost, ARGV[6] } end
return { now, id, lost, ARGV[6], redis.call('ZRANGE', profiles, '+inf', '-inf', 'BYSCORE', 'REV', 'LIMIT', '0', '9') }
