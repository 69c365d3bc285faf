-- KEYS: breaks, generation. ARGV: command, channel, key. Tells all of an entry that was replaced.
local generation = KEYS[2]
local n = (number(tidy('HGET', generation, 'n'), 2 ^ 52) or 0) + 1
redis.call('HSET', generation, 'n', text(n))
redis.call(ARGV[1], ARGV[2], text(n) .. ' entry ' .. ARGV[3])
return { n }
