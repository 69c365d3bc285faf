package verb

import (
	"errors"
	"strconv"
	"time"

	"github.com/spf13/pflag"
)

// Time defines a flag whose value is a time: seconds, as in 10 or 0.5, or a duration with
// its unit, as in 2m.
func Time(flags *pflag.FlagSet, t *time.Duration, name, usage string) {
	flags.Func(name, usage, func(value string) error {
		d, err := time.ParseDuration(value)
		if _, number := strconv.ParseFloat(value, 64); number == nil {
			d, err = time.ParseDuration(value + "s")
		}
		if err != nil || d <= 0 {
			return errors.New("write seconds, as in 10, or a time with its unit, as in 2m")
		}
		*t = d
		return nil
	})
}
