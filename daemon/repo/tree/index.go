package tree

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// The index of a run holds what Record knows of each file: what it recorded, and a mark
// of the file when it was read. A file with the same mark is not read again.

// mark identifies a state of a file: while it is the same, so are the bytes. The change
// time cannot be set by a program, so it is part of it. The zero mark is that of no file.
type mark struct {
	dev, ino, size uint64
	mtime, ctime   int64 // in nanoseconds
}

func markOf(st *unix.Stat_t) mark {
	return mark{
		dev: uint64(st.Dev), ino: st.Ino, size: uint64(st.Size), //nolint:unconvert,nolintlint // types differ by system
		mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(),
	}
}

// settled is the mark where it can be trusted. A file that was changed in the second in
// which it was read, or later, may be changed again with no other mark to tell: clocks of
// file systems are coarse.
func (m mark) settled(read time.Time) mark {
	if time.Unix(0, m.ctime).Unix() >= read.Unix() {
		return mark{}
	}
	return m
}

// known is one entry of an index.
type known struct {
	path string
	mode string // git's
	id   string
	mark mark
}

// index is what a file with an index holds.
type index struct {
	list  []known  // by path, byte by byte
	trees []string // objects that were written of it
}

// modes are those of entries, by what stands for them in the file.
var modes = []string{"100644", "100755", "120000", modeLink}

const indexHead = "autopilot index 1\n"

var errIndex = errors.New("the index is damaged")

// readIndex reads an index. The strings of it share one memory.
func readIndex(path string) (x index, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return x, err
	}
	end := len(text) - sha256.Size
	if end < len(indexHead) || !bytes.HasPrefix(text, []byte(indexHead)) {
		return x, errIndex
	}
	if sum := sha256.Sum256(text[:end]); !bytes.Equal(sum[:], text[end:]) {
		return x, errIndex
	}
	// The sum says that the rest is as it was written.
	d := decoding{text: text[len(indexHead):end]}
	d.all = string(d.text)
	x.list = make([]known, d.number())
	for i := range x.list {
		e := &x.list[i]
		e.mode = modes[d.number()]
		e.path, e.id = d.string(), d.string()
		e.mark = mark{dev: d.number(), ino: d.number(), size: d.number(), mtime: d.signed(), ctime: d.signed()}
	}
	x.trees = make([]string, d.number())
	for i := range x.trees {
		x.trees[i] = d.string()
	}
	return x, nil
}

type decoding struct {
	text []byte
	all  string // the same
	at   int
}

func (d *decoding) number() uint64 {
	v, n := binary.Uvarint(d.text[d.at:])
	d.at += n
	return v
}

func (d *decoding) signed() int64 {
	v, n := binary.Varint(d.text[d.at:])
	d.at += n
	return v
}

func (d *decoding) string() string {
	n := int(d.number())
	d.at += n
	return d.all[d.at-n : d.at]
}

// text is the file with the index.
func (x index) text() []byte {
	b := make([]byte, 0, len(indexHead)+len(x.list)*160+len(x.trees)*66+100)
	b = append(b, indexHead...)
	b = binary.AppendUvarint(b, uint64(len(x.list)))
	word := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	for i := range x.list {
		e := &x.list[i]
		b = binary.AppendUvarint(b, uint64(slices.Index(modes, e.mode)))
		word(e.path)
		word(e.id)
		for _, n := range []uint64{e.mark.dev, e.mark.ino, e.mark.size} {
			b = binary.AppendUvarint(b, n)
		}
		b = binary.AppendVarint(binary.AppendVarint(b, e.mark.mtime), e.mark.ctime)
	}
	b = binary.AppendUvarint(b, uint64(len(x.trees)))
	for _, t := range x.trees {
		word(t)
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

// at is the place of a path, or where it would be.
func (x index) at(path string) (int, bool) {
	return slices.BinarySearchFunc(x.list, path, func(e known, path string) int { return strings.Compare(e.path, path) })
}

// link says whether the index has something at a path that is recorded by its id only.
func (x index) link(path string) bool {
	i, ok := x.at(path)
	return ok && x.list[i].mode == modeLink
}

// below says whether the index has anything below a folder.
func (x index) below(dir string) bool {
	i, _ := x.at(dir + "/")
	return i < len(x.list) && strings.HasPrefix(x.list[i].path, dir+"/")
}

// with is the list with other entries in the place of those of their paths; one without a
// mode takes an entry away. The last of a path counts.
func (x index) with(changes []known) []known {
	slices.SortStableFunc(changes, func(a, b known) int { return strings.Compare(a.path, b.path) })
	out := make([]known, 0, len(x.list)+len(changes))
	old := x.list
	for i, c := range changes {
		n, _ := slices.BinarySearchFunc(old, c.path, func(e known, path string) int { return strings.Compare(e.path, path) })
		out, old = append(out, old[:n]...), old[n:]
		if i+1 < len(changes) && changes[i+1].path == c.path {
			continue
		}
		if len(old) > 0 && old[0].path == c.path {
			old = old[1:]
		}
		if c.mode != "" {
			out = append(out, c)
		}
	}
	return append(out, old...)
}
