-- An entry is a text of what has a fixed length, and the entry itself:
--   when it was put (16 digits), when it may be deleted (16), its version (26 letters),
--   when the newest claim ends (16), its token (26), a space
-- While there is no entry, the key that is claimed stands in its place.
local longest = 16 * 1024 * 1024
local none, blank = string.rep('0', 32), string.rep(' ', 26)

local function text16(n) return string.format('%016.0f', n) end

-- load returns the head of an entry. If there is none, version is nil; if there is no
-- claim, ends is 0.
local function load(key, now)
	local head = tidy('GETRANGE', key, '0', '100') or ''
	local put, gone = number(string.sub(head, 1, 16), 2 ^ 53), number(string.sub(head, 17, 32), 2 ^ 53)
	local ends = number(string.sub(head, 59, 74), now + day + hour)
	local r = { ends = ends or 0, token = string.sub(head, 75, 100) }
	if #head == 101 and put and gone and gone > now and redis.call('STRLEN', key) <= longest then
		r.version, r.put = string.sub(head, 33, 58), put
	end
	return r
end
