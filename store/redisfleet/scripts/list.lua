-- KEYS: breaks, generation. ARGV: not over before, how many. Lists the breaks by their ends.
local breaks, generation, from, most = KEYS[1], KEYS[2], number(ARGV[1], 2 ^ 53), number(ARGV[2], 2 ^ 53)
if not (from and most) then return bad end
local now = time()
local n = number(tidy('HGET', generation, 'n'), 2 ^ 52) or 0
local found = tidy('ZRANGE', breaks, text(math.max(from, now)), text(now + day + hour), 'BYSCORE', 'LIMIT', '0', text(most), 'WITHSCORES')
return { now, n, found or {} }
