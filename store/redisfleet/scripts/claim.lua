-- Reads an entry, or claims the right to fetch it.
--
-- KEYS: entry. ARGV: void after, seen, lease, token, key.
local key, seen, token = KEYS[1], ARGV[2], ARGV[4]
local void, lease = number(ARGV[1], 2 ^ 53), number(ARGV[3], day)
if not (void and lease) then return bad end
local now = time()
if now > void then return { now, 'void' } end
local r = load(key, now)
if r.version and r.version ~= seen then
	return { now, 'entry', r.version, now - r.put, redis.call('GETRANGE', key, '101', '-1') }
end
if lease == 0 then return { now, 'nothing' } end
if r.ends > now and r.token ~= token then return { now, 'wait', r.ends - now } end
if r.version then
	redis.call('SETRANGE', key, '58', text16(now + lease) .. token)
	keep(key, now, now + lease)
else
	redis.call('SET', key, none .. blank .. text16(now + lease) .. token .. ' ' .. ARGV[5], 'PX', text(math.ceil(lease / 1000)))
end
return { now, 'token' }
