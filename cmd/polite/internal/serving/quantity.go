package serving

import (
	"fmt"
	"time"
)

// duration tells a time in the largest unit of which it is a whole number.
func duration(d time.Duration) string {
	const day = 24 * time.Hour
	for _, unit := range []struct {
		name string
		of   time.Duration
	}{{"day", day}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if n := d / unit.of; n > 0 && d%unit.of == 0 {
			if n == 1 {
				return "1 " + unit.name
			}
			return fmt.Sprintf("%d %ss", n, unit.name)
		}
	}
	return d.String()
}

// size tells a number of octets.
func size(n int) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
}
