package main

import (
	"bytes"

	"github.com/go-polite/polite/robots"
	"github.com/temoto/robotstxt"
)

// parsePolite, parseTemoto and parseFloor read one file each in their way.
func parsePolite(body []byte) any { return robots.Parse(body) }

func parseTemoto(body []byte) any {
	data, err := robotstxt.FromBytes(body)
	if err != nil {
		return nil // it refuses some files whole
	}
	return data
}

type line struct{ key, value []byte }

func parseFloor(body []byte) any {
	var lines []line
	for len(body) > 0 {
		text, rest, _ := bytes.Cut(body, []byte("\n"))
		body = rest
		text = bytes.TrimSpace(text)
		if colon := bytes.IndexByte(text, ':'); colon >= 0 {
			lines = append(lines, line{text[:colon], text[colon+1:]})
		}
	}
	return lines
}

// A matcher answers one query on a file that was parsed before, the choice of
// the agent's group included.
type matcher func(file any, q query) bool

func matchPolite(file any, q query) bool { return file.(*robots.File).Allowed(q.agent, q.path) }

func matchTemoto(file any, q query) bool {
	data, ok := file.(*robotstxt.RobotsData)
	return !ok || data.TestAgent(q.path, q.agent)
}
