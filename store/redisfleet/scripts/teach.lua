-- Tells all a lesson of a lane, and keeps it for those who come later.
--
-- KEYS: lessons, generation. ARGV: command, channel, lane, lesson without spaces, how long to keep it.
local lessons, generation, lesson, most = KEYS[1], KEYS[2], ARGV[4] .. ' ' .. ARGV[3], number(ARGV[5], day)
if not most then return bad end
local now = time()
pcall(tidy, 'ZREMRANGEBYSCORE', lessons, '-inf', text(now))
local kept = redis.pcall('ZADD', lessons, text(now + most), lesson)
-- It does not count as news: a lost lesson does no harm, and versions that know no lessons go on.
redis.call(ARGV[1], ARGV[2], text(number(tidy('HGET', generation, 'n'), 2 ^ 52) or 0) .. ' lesson ' .. lesson)
if type(kept) == 'table' and kept.err then return kept end -- it is full
return { now }
