package polite

import "time"

// SetTimeOfDay lets c go by another time of day. Call it before c is used.
func (c *Cache) SetTimeOfDay(wall func() time.Time) { c.timeOfDay = wall }
