package verb

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestUserAgent(t *testing.T) {
	assert.Regexp(t, `^polite(/[0-9]\S*)? \(\+https://github\.com/go-polite/polite\)$`, UserAgent())
}
