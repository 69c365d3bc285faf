-- Replaces an entry, and ends the claim. The reply says whether the entry was another one.
--
-- KEYS: entry. ARGV: token, keep, whether there is an entry, entry, whether this is repeated.
local key, token, most = KEYS[1], ARGV[1], number(ARGV[2], 522 * week)
if not most then return bad end
local now = time()
local r = load(key, now)
if #token ~= 26 or r.token ~= token or r.ends <= now then
	local done = ARGV[5] == '1' and r.version == token and redis.call('GETRANGE', key, '101', '-1') == ARGV[4]
	return { now, done and 'other' or 'lost' } -- nobody knows what was there before
end
local answer = 'ok'
if ARGV[3] == '1' then
	if r.version and redis.call('GETRANGE', key, '101', '-1') ~= ARGV[4] then answer = 'other' end
	redis.call('SET', key, text16(now) .. text16(now + most) .. token .. text16(0) .. blank .. ' ' .. ARGV[4],
		'PX', text(math.ceil(most / 1000) + 1))
elseif r.version then
	redis.call('SETRANGE', key, '58', text16(0) .. blank)
else
	redis.call('DEL', key)
end
return { now, answer }
