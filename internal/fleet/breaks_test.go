package fleet

import (
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/limit"
	"github.com/stretchr/testify/assert"
)

func TestLessonIsReadAsItWasTold(t *testing.T) {
	for _, told := range []limit.Lesson{
		{},
		{Incident: true, Level: 3, Asked: true, Why: limit.Barred},
		{Incident: true, Level: 10, Gap: 200 * time.Millisecond, Plain: 40 * time.Second, Before: time.Minute},
	} {
		by, read, ok := lessonOf(lessonText("process", told))
		assert.True(t, ok)
		assert.Equal(t, "process", by)
		told.Teller = read.Teller
		assert.Equal(t, told, read)
		assert.NotZero(t, read.Teller)
	}
}

// Others may write any text. What is read of it is bounded.
func FuzzLesson(f *testing.F) {
	for _, text := range []string{
		"", "2", "1 process 1 0 0 0 0", "3 process 1 0 0 0 0 0", "2 process 1 0 0 0 0", "2 process -1 0 0 0 0 0", "2 process 1 NaN 0 0 0 0", "2 process 1 1e9 0 0 0 99",
		"2 process 1 9999999999999999999 0 0 0 0", "2 process 1 1125899906842623 1125899906842623 1125899906842623 1125899906842623 9",
		"2 process 1 0 0 0 0 0 " + strings.Repeat("0", 200),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, lesson, ok := lessonOf(text)
		assert.True(t, ok || lesson == limit.Lesson{})
		for _, d := range []time.Duration{lesson.Gap, lesson.Plain, lesson.Before} {
			assert.GreaterOrEqual(t, d, time.Duration(0))
		}
		var lane limit.Limit
		lane.Learn(time.Hour, lesson)
		assert.LessOrEqual(t, lane.Gap(time.Hour), time.Minute)
		assert.LessOrEqual(t, lane.Next(time.Hour), 26*time.Hour)
	})
}
