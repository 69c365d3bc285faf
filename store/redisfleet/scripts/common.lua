-- All times are microseconds of the server's clock. They need 16 digits, so they are
-- never turned into text by tostring, which keeps 14.
local second = 1000000
local hour, day, week = 3600 * second, 86400 * second, 7 * 86400 * second

local function time()
	local t = redis.call('TIME')
	return tonumber(t[1]) * second + tonumber(t[2])
end

-- number returns the number that s is the text of, or nil if it is not one of 0 to most.
local function number(s, most)
	if type(s) ~= 'string' or #s > 16 or not string.find(s, '^%d+$') then return nil end
	local n = tonumber(s)
	if n <= most then return n end
end

local function text(n) return string.format('%.0f', n) end

local bad = { err = 'ERR polite: an argument is not a number within its bounds' }

-- tidy calls a command. If the key is of another type, it deletes the key and returns
-- nil and true.
local function tidy(command, key, ...)
	local reply = redis.pcall(command, key, ...)
	if type(reply) ~= 'table' or not reply.err then return reply end
	if not string.find(reply.err, 'WRONGTYPE', 1, true) then return redis.call(command, key, ...) end
	redis.call('DEL', key)
	return nil, true
end

-- keep lets a key live until a time, or longer if it does already.
local function keep(key, now, till)
	local left = math.ceil((till - now) / 1000)
	if redis.call('PTTL', key) < left then redis.call('PEXPIRE', key, text(left)) end
end
