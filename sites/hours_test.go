package sites_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	_ "time/tzdata" // also where the machine has no time zones

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/sites"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// delays returns the delay of example.com at each hour of a day from now on, in seconds.
func delays(table *sites.Table) (all []int) {
	for range 24 {
		site := table.Site(request("http://example.com/"))
		if site.Pace == nil {
			site = &polite.Options{Pace: new(polite.Pace)}
		}
		all = append(all, int(site.Pace.MinDelay.Seconds()))
		time.Sleep(time.Hour)
	}
	return all
}

// Each line holds at its hours, from the first until just before the last.
func TestHours(t *testing.T) {
	for lines, want := range map[string]map[int]int{
		"hours=22-6 delay=2s":                           {22: 2, 23: 2, 0: 2, 1: 2, 2: 2, 3: 2, 4: 2, 5: 2},
		"delay=2s hours=6-8":                            {6: 2, 7: 2},
		"hours=22-24 delay=2s\nhours=0-1 delay=3s":      {22: 2, 23: 2, 0: 3},
		"hours=23-0 default\nhours=0-23 delay=4s":       {23: -1, 0: 4, 1: 4, 2: 4, 3: 4, 4: 4, 5: 4, 6: 4, 7: 4, 8: 4, 9: 4, 10: 4, 11: 4, 12: 4, 13: 4, 14: 4, 15: 4, 16: 4, 17: 4, 18: 4, 19: 4, 20: 4, 21: 4, 22: 4},
		"hours=08-09 delay=2s\nhours=9-10 delay=2500ms": {8: 2, 9: 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			for name, text := range map[string]string{"before": "delay=1s\n" + lines, "after": lines + "\ndelay=1s"} {
				table, err := sites.Parse("sites.txt", "* delay=9s\nexample.com "+strings.ReplaceAll(text, "\n", "\nexample.com "))
				require.NoError(t, err, lines)
				first := time.Now().Hour()
				for i, delay := range delays(table) {
					seconds := want[(first+i)%24]
					if seconds == 0 {
						seconds = 1
					}
					assert.Equal(t, max(seconds, 0), delay, "%s at %d, the line without hours %s", lines, (first+i)%24, name)
				}
			}
		})
	}
}

// Hours may have minutes, to the minute.
func TestHoursWithMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table, err := sites.Parse("sites.txt", "example.com delay=1s\nexample.com hours=22:30-6:05 delay=2s\nexample.com hours=6:05-6:06 delay=3s\n")
		require.NoError(t, err)
		for range 24 * 60 {
			want := 1
			switch at := time.Now().Format("15:04"); {
			case at >= "22:30" || at < "06:05":
				want = 2
			case at == "06:05":
				want = 3
			}
			assert.Equal(t, time.Duration(want)*time.Second, table.Site(request("http://example.com/")).Pace.MinDelay, time.Now())
			time.Sleep(time.Minute)
		}
	})
}

// The hours are those of the clock on the wall of the process, also if it is put forward.
func TestHoursGoWithTheClock(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		defer func(zone *time.Location) { time.Local = zone }(time.Local)
		time.Local = berlin
		table, err := sites.New(
			sites.Entry{Match: "example.com"},
			sites.Entry{Match: "example.com", Hours: "3-4", Options: polite.Options{Pace: &polite.Pace{MinDelay: time.Second}}},
		)
		require.NoError(t, err)
		time.Sleep(time.Until(time.Date(2000, 3, 25, 0, 0, 0, 0, berlin)))
		assert.Equal(t, []int{0, 0, 0, 1, 0}, delays(table)[:5])
		assert.Equal(t, []int{0, 0, 1, 0}, delays(table)[:4], "the clock is put forward from 2:00 to 3:00")
	})
}

// Errors name the line and say what to write. Any kind of site may have hours.
func TestHoursErrors(t *testing.T) {
	const more = "\nexample.com delay=1s"
	for text, want := range map[string]string{
		"example.com delay=1s hours=22:60-6" + more:                               `sites.txt:1:22: hours: "22:60-6" is no time of the day: write two times, from 0 to 24, as in 22-6 or 22:30-6`,
		"example.com delay=1s hours=22:5-6" + more:                                `hours: "22:5-6" is no time`,
		"example.com delay=1s hours=22:-6" + more:                                 `hours: "22:-6" is no time`,
		"example.com delay=1s hours=6-24:30" + more:                               `hours: "6-24:30" is no time`,
		"example.com delay=1s hours=24:00-6" + more:                               `hours: "24:00-6" is no time`,
		"example.com delay=1s hours=0:30-00:30" + more:                            `hours: "0:30-00:30" is the whole day`,
		"example.com hours=22-6 delay=1s\nexample.com hours=5:59-7 agreed" + more: "example.com has some of the hours 5:59-7 already",
		"example.com delay=1s hours=22" + more:                                    `sites.txt:1:22: hours: "22" is no time of the day`,
		"example.com delay=1s hours" + more:                                       `sites.txt:1:22: hours: "" is no time of the day`,
		"example.com delay=1s hours=-6" + more:                                    `hours: "-6" is no time`,
		"example.com delay=1s hours=24-6" + more:                                  `hours: "24-6" is no time`,
		"example.com delay=1s hours=6-25" + more:                                  `hours: "6-25" is no time`,
		"example.com delay=1s hours=22-6-7" + more:                                `hours: "22-6-7" is no time`,
		"example.com delay=1s hours=99999999999999999999-6" + more:                `is no time`,
		"example.com delay=1s hours=6-6" + more:                                   `hours: "6-6" is the whole day: leave it out, or write two times that differ, as in 22-6`,
		"example.com delay=1s hours=0-24" + more:                                  `hours: "0-24" is the whole day`,
		"example.com hours=22-6" + more:                                           "sites.txt:1:1: example.com has hours and no settings: write some, as in delay=10s, or write default",
		"example.com hours=22-6 hours=7-8" + more:                                 "hours is there twice",
		"example.com hours=22-6 delay=1s default" + more:                          "default says that nothing is different",
		"example.com hours=22-6 delay=1s\nexample.com hours=5-7 agreed" + more:    "sites.txt:2:1: example.com has some of the hours 5-7 already: write each hour once",
		"* default\nexample.com hours=22-6 delay=1s":                              "sites.txt:2:1: example.com has hours, and nothing says what holds at all others: add it without hours, with default or with settings",
		"example.com hours=22-6 delay=1s together" + more:                         "sites.txt:1:1: together, agreed and group hold at all hours: write the same ones wherever example.com is",
		"example.com hours=22-6 agreed" + more:                                    "together, agreed and group hold at all hours",
		"example.com hours=22-6 group=domain" + more:                              "together, agreed and group hold at all hours",
		"example.com hours=22-6 delay=2s" + more + more:                           "sites.txt:3:1: example.com is on line 2 already",
	} {
		_, err := sites.Parse("sites.txt", text)
		assert.ErrorContains(t, err, want, text)
	}
	_, err := sites.New(sites.Entry{Match: "a"}, sites.Entry{Match: "a", Hours: "22"})
	assert.ErrorContains(t, err, `sites: entry 1: hours: "22" is no time of the day`)
	_, err = sites.New(sites.Entry{Match: "a"}, sites.Entry{Match: ".a", Hours: "22-23"})
	assert.ErrorContains(t, err, "sites: entry 1: .a has hours, and nothing says what holds at all others")

	var text strings.Builder
	for i, match := range []string{"example.com", "https://example.com", ".example.com", "*.example.com", "ex*le.com", "*"} {
		fmt.Fprintf(&text, "%s hours=22-6 delay=%ds together=x\n%s together=x delay=3s\n", match, i, match)
	}
	_, err = sites.Parse("sites.txt", text.String())
	assert.NoError(t, err)
}
