package archive

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"autopilot/events"
	"autopilot/events/log"
)

// File is a bundle of the directory.
type File struct {
	Path     string
	SHA256   events.Digest // as its name says; Archive.Check looks
	At       time.Time     // when it came here, to the second
	Imported bool          // it came from elsewhere
	Runs     int
	Events   uint64
	Bytes    int64
	Problem  error // why it cannot be read, or not all of it
}

// The name of a bundle has all that cannot be read from it: when it came here,
// where from, and its hash.
const (
	nameTime  = "20060102T150405Z"
	rolled    = "rolled"
	imported  = "imported"
	bundleExt = ".zip"
	statesExt = ".states"
	tempExt   = ".tmp"
	newSuffix = ".new" // of a file on its way to its name
)

func fileName(at time.Time, from string, sum events.Digest) string {
	return at.UTC().Format(nameTime) + "-" + from + "-" + string(sum) + bundleExt
}

// fileOf is what the name of a file says of it.
func fileOf(path string) (File, bool) {
	base, ok := strings.CutSuffix(filepath.Base(path), bundleExt)
	parts := strings.Split(base, "-")
	if !ok || len(parts) != 3 || !validHash(parts[2]) || parts[1] != rolled && parts[1] != imported {
		return File{}, false
	}
	at, err := time.Parse(nameTime, parts[0])
	if err != nil {
		return File{}, false
	}
	return File{Path: path, SHA256: events.Digest(parts[2]), At: at, Imported: parts[1] == imported}, true
}

// leftover says that a process which died left the file behind.
func leftover(name string) bool {
	return filepath.Ext(name) == tempExt || strings.HasSuffix(name, statesExt+newSuffix)
}

// states is the file of its states.
func (f File) states() string { return strings.TrimSuffix(f.Path, bundleExt) + statesExt }

// cursor is the place that the states of a bundle are made at: all of it.
func (f File) cursor() log.Cursor {
	return log.Cursor(fmt.Sprintf("%s %d %d %d", f.SHA256, f.Bytes, f.Runs, f.Events))
}

// told reads the counts of a cursor that speaks of this bundle.
func (f File) told(c log.Cursor) (File, bool) {
	var sum string
	n, err := fmt.Sscanf(string(c), "%s %d %d %d", &sum, &f.Bytes, &f.Runs, &f.Events)
	return f, err == nil && n == 4 && sum == string(f.SHA256)
}
