// Package corpus reads, for tests and benchmarks, a folder of real robots.txt
// files and of the verdicts that Google's parser gives on them. The folder is
// not part of this repository; the environment variable POLITE_CORPUS names it.
//
// It holds files.tar.gz, with one entry files/HOST for each robots.txt, and
// google.tsv.gz, with one tab-separated case a line: the file, how the agent and the URL
// were made, both of them in base64, 1 for allowed or 0, and the line of the deciding
// rule or 0.
package corpus

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A Case is one question put to Google's parser, with its answer.
type Case struct {
	Host    string // the file asked
	Agent   string
	URL     string
	Allowed bool
	Line    int // of the deciding rule, or 0
}

// Dir returns the folder of the corpus. It skips the test if there is none.
func Dir(t testing.TB) string {
	dir := os.Getenv("POLITE_CORPUS")
	if dir == "" {
		t.Skip("POLITE_CORPUS names no folder")
	}
	return dir
}

// Load returns the files and the cases of the corpus. It skips the test if there
// is none.
func Load(t testing.TB) (files map[string][]byte, cases []Case) {
	dir := Dir(t)
	files, err := Files(dir)
	if err != nil {
		t.Fatal(err)
	}
	if cases, err = Cases(dir); err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 || len(cases) == 0 {
		t.Fatal("an empty corpus in ", dir)
	}
	return files, cases
}

// Bodies returns the files of the corpus by the names of their hosts, or 2,000 that
// are made up if there is none.
func Bodies(t testing.TB) [][]byte {
	dir := os.Getenv("POLITE_CORPUS")
	if dir == "" {
		return MadeUp(2000)
	}
	files, err := Files(dir)
	if err != nil {
		t.Fatal(err)
	}
	var bodies [][]byte
	for _, host := range slices.Sorted(maps.Keys(files)) {
		bodies = append(bodies, files[host])
	}
	return bodies
}

// Files returns the bodies of all robots.txt files in dir, by host.
func Files(dir string) (map[string][]byte, error) {
	files := make(map[string][]byte)
	err := unzip(filepath.Join(dir, "files.tar.gz"), func(r io.Reader) error {
		archive := tar.NewReader(r)
		for {
			header, err := archive.Next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if header.Typeflag != tar.TypeReg {
				continue
			}
			if files[path.Base(header.Name)], err = io.ReadAll(archive); err != nil {
				return err
			}
		}
	})
	return files, err
}

// Cases returns all cases in dir.
func Cases(dir string) ([]Case, error) {
	var cases []Case
	err := unzip(filepath.Join(dir, "google.tsv.gz"), func(r io.Reader) error {
		lines := bufio.NewScanner(r)
		for lines.Scan() {
			c, err := parseCase(lines.Text())
			if err != nil {
				return fmt.Errorf("case %d: %w", len(cases)+1, err)
			}
			cases = append(cases, c)
		}
		return lines.Err()
	})
	return cases, err
}

func parseCase(line string) (Case, error) {
	columns := strings.Split(line, "\t")
	if len(columns) != 7 {
		return Case{}, fmt.Errorf("%d columns, not 7", len(columns))
	}
	agent, agentErr := base64.StdEncoding.DecodeString(columns[3])
	url, urlErr := base64.StdEncoding.DecodeString(columns[4])
	number, lineErr := strconv.Atoi(columns[6])
	return Case{
		Host: columns[0], Agent: string(agent), URL: string(url),
		Allowed: columns[5] == "1", Line: number,
	}, errors.Join(agentErr, urlErr, lineErr)
}

// unzip calls read with the uncompressed content of the file called name.
func unzip(name string, read func(io.Reader) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	content, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := read(content); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
