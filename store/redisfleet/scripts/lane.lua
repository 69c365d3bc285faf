-- A lane is a text of what has a fixed length, and its name:
--   when the life of its key was set last, by Take (7 bytes)
--   if it has a break or slots: '!', when the break ends (7), and how many slots follow (7)
--     a slot: token (8), when its lease ends (7)
--   a start, from the newest to the oldest: when it is over (7), gap (7), slack (7), token (8)
--   '=' and the name; or '~' and the host, if it is "origin https://", the host and ":443"
-- A number has seven bytes, the highest first, so any seven bytes are one. The text is
-- short, since the server's Lua hashes all bytes of each text that it makes. Times are
-- microseconds of the server's clock.
local pack, unpack = struct.pack, struct.unpack
