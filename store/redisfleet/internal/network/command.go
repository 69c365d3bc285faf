package network

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"strings"
)

// readCommand reads a command, and returns its name and its bytes.
func readCommand(r *bufio.Reader) (name string, raw []byte, err error) {
	var all bytes.Buffer
	line := func() (int, error) {
		text, err := r.ReadString('\n')
		all.WriteString(text)
		if err != nil || len(text) < 3 {
			return 0, io.ErrUnexpectedEOF
		}
		return strconv.Atoi(strings.TrimSpace(text[1:]))
	}
	n, err := line()
	for ; err == nil && n > 0; n-- {
		var size int
		if size, err = line(); err != nil {
			break
		}
		word := make([]byte, size+2)
		_, err = io.ReadFull(r, word)
		all.Write(word)
		if name == "" {
			name = strings.ToUpper(string(word[:size]))
		}
	}
	return name, all.Bytes(), err
}
