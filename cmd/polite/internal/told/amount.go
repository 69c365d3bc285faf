package told

import (
	"fmt"
	"strings"
	"time"
)

// size tells a number of bytes, in powers of 1000.
func size(n float64) string {
	const units = "kMGTPE"
	if n < 999.5 {
		return fmt.Sprintf("%.0f B", n)
	}
	unit := 0
	for n /= 1000; n >= 999.5 && unit < len(units)-1; unit++ {
		n /= 1000
	}
	digits := 0
	if n < 99.95 {
		digits = 1
	}
	return fmt.Sprintf("%.*f %cB", digits, n, units[unit])
}

// often tells how many there are in a second, or in a minute if they are few.
func often(perSecond float64) string {
	if perSecond < 0.95 {
		return fmt.Sprintf("%.0f/min", max(perSecond*60, 1))
	}
	return fmt.Sprintf("%.0f/s", perSecond)
}

// duration tells a time to the second, or to the minute if it is long.
func duration(d time.Duration) string {
	if d < time.Hour {
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}
