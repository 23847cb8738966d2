package archive

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"strings"

	"autopilot/events"
)

// Bounds of a bundle: what its names may take in memory, however it was made.
const (
	maxRuns     = 1 << 17
	maxTexts    = 1 << 19   // found or missing
	maxDir      = 80 << 20  // bytes of the directory of the zip file
	maxManifest = 192 << 20 // bytes, unpacked
	maxText     = 1 << 28
)

const manifestEntry = "manifest.json"

func runEntry(id string) string { return "runs/" + id + ".ndjson" }

func textEntry(hash string) string { return "texts/" + hash }

// validRun says whether it may be the id of a run.
func validRun(id string) bool {
	_, err := events.ParseAggregate(events.Run(id).String())
	return err == nil
}

func validHash(s string) bool {
	if len(s) != 2*sha256.Size {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

// directory gives the directory of a zip file to its reader, up to a bound.
type directory struct {
	io.ReaderAt
	left int64
	done bool
}

var errDirectory = errors.New("its directory is too large")

func (d *directory) ReadAt(b []byte, at int64) (int, error) {
	if d.done {
		return d.ReaderAt.ReadAt(b, at)
	}
	if d.left -= int64(len(b)); d.left < 0 {
		return 0, errDirectory
	}
	return d.ReaderAt.ReadAt(b, at)
}

// openZip reads the directory of a zip file, and refuses entries that share bytes.
func openZip(f *os.File) (map[string]*zip.File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &DamagedError{What: "it is not a file"}
	}
	d := &directory{ReaderAt: f, left: maxDir}
	z, err := zip.NewReader(d, info.Size())
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, &DamagedError{What: err.Error()}
	}
	d.done = true
	entries := make(map[string]*zip.File, len(z.File))
	left := uint64(info.Size())
	for _, e := range z.File {
		if entries[e.Name] != nil {
			return nil, &DamagedError{Entry: e.Name, What: "it is there twice"}
		}
		if e.CompressedSize64 > left {
			return nil, &DamagedError{Entry: e.Name, What: "it shares bytes with another one"}
		}
		left -= e.CompressedSize64
		entries[e.Name] = e
	}
	return entries, nil
}

// unpacked is an entry that is read. At its end it is an error if it is not what
// the manifest says.
type unpacked struct {
	entry *zip.File
	r     io.ReadCloser
	sum   hash.Hash
	n     int64
	want  int64  // bytes
	hash  string // empty is any
}

// unpack begins to read an entry that must have so many bytes and that hash.
func unpack(e *zip.File, want int64, hash string) (*unpacked, error) {
	u := &unpacked{entry: e, sum: sha256.New(), want: want, hash: hash}
	var err error
	if u.r, err = e.Open(); err != nil {
		return nil, u.failed(err)
	}
	return u, nil
}

func (u *unpacked) Read(b []byte) (int, error) {
	n, err := u.r.Read(b)
	u.sum.Write(b[:n])
	u.n += int64(n)
	switch {
	case u.n > u.want:
		return 0, u.bad("it is longer than the manifest says")
	case err == nil:
		return n, nil
	case err != io.EOF:
		return n, u.failed(err)
	case u.hash != "" && u.n < u.want:
		return n, u.bad("it is shorter than the manifest says")
	case u.hash != "" && hex.EncodeToString(u.sum.Sum(nil)) != u.hash:
		return n, u.bad("it has another hash than the manifest says")
	}
	return n, io.EOF
}

// Close lets go of the entry.
func (u *unpacked) Close() error { return u.r.Close() }

func (u *unpacked) bad(what string) error { return &DamagedError{Entry: u.entry.Name, What: what} }

// failed is damage, unless it is the disk that cannot be read.
func (u *unpacked) failed(err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("read %s: %w", u.entry.Name, err)
	}
	return u.bad(err.Error())
}
