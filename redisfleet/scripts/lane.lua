-- A lane is a text of what has a fixed length, and its name:
--   when it was written (10 digits, seconds), when its break ends (16), and how many starts (6)
--   and slots (6) follow
--   a start, from the newest to the oldest: when it is over (16), gap (11), slack (11) and token
--   (26 letters)
--   a slot: token (26), when its lease ends (16)
-- A lane outlives its last turn by ten minutes.
local idle = 600 * second

-- load returns a lane, or an empty one if it is not there, or is damaged.
local function load(key, name)
	local text = tidy('GET', key) or ''
	local n, m = number(string.sub(text, 27, 32), 999999), number(string.sub(text, 33, 38), 999999)
	local written, hold = number(string.sub(text, 1, 10), 2 ^ 53), number(string.sub(text, 11, 26), 2 ^ 53)
	local body = string.sub(text, 39)
	if n and m and written and hold and #body == 64 * n + 42 * m + #name and string.sub(body, 64 * n + 42 * m + 1) == name then
		return { written = written, hold = hold, starts = string.sub(body, 1, 64 * n), slots = string.sub(body, 64 * n + 1, 64 * n + 42 * m) }
	end
	return { written = 0, hold = 0, starts = '', slots = '' }
end

local function save(key, name, lane)
	redis.call('SET', key, string.format('%010.0f%016.0f%06d%06d', lane.written, lane.hold, #lane.starts / 64, #lane.slots / 42)
		.. lane.starts .. lane.slots .. name, 'KEEPTTL')
end
