-- KEYS: any. ARGV: a channel, and three commands of it. It returns the commands that the user may not run.
local key, channel, missing = KEYS[1], ARGV[1], {}
local calls = {
	{ 'TIME' }, { 'PING' },
	{ 'GETRANGE', key, '0', '1' }, { 'STRLEN', key }, { 'SET', key, 'v' }, { 'SETRANGE', key, '0', 'v' },
	{ 'HGET', key, 'f' }, { 'HSET', key, 'f', 'v' },
	{ 'DEL', key }, { 'PTTL', key }, { 'PEXPIRE', key, '1' },
	{ 'ZADD', key, '1', 'm' }, { 'ZSCORE', key, 'm' }, { 'ZRANGE', key, '0', '0' }, { 'ZREMRANGEBYSCORE', key, '0', '0' },
	{ ARGV[2], channel, 'm' }, { ARGV[3], channel }, { ARGV[4], channel },
}
if not redis.acl_check_cmd then return missing end -- a double
for _, call in ipairs(calls) do
	if not redis.acl_check_cmd(unpack(call)) then table.insert(missing, call[1]) end
end
return missing
