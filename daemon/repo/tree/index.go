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

// The index of a run holds what Record knows of each file: its recorded object, and a
// mark of the file at the read. Record does not read a file with the same mark again.

// mark identifies a state of a file: equal marks mean equal bytes. It includes the change
// time, as no program can set it. The zero mark stands for no file.
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

// settled is the mark, if it is reliable. A file that changed in the second of its read,
// or later, may change again with the same mark: file systems have coarse clocks.
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

// index is the content of an index file.
type index struct {
	list  []known  // by path, byte by byte
	trees []string // objects written for it
}

// modes are the modes of entries; their place is the code in the file.
var modes = []string{"100644", "100755", "120000", modeLink}

const indexHead = "autopilot index 1\n"

var errIndex = errors.New("the index is damaged")

// readIndex reads an index. Its strings share one memory.
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
	// The sum proves that the rest is as written.
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
	all  string // the same text as a string
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

// text encodes the index for its file.
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

// at is the place of a path in the list, or its place on insertion.
func (x index) at(path string) (int, bool) {
	return slices.BinarySearchFunc(x.list, path, func(e known, path string) int { return strings.Compare(e.path, path) })
}

// link says whether the index has an entry recorded by id alone at a path.
func (x index) link(path string) bool {
	i, ok := x.at(path)
	return ok && x.list[i].mode == modeLink
}

// below says whether the index has an entry below a folder.
func (x index) below(dir string) bool {
	i, _ := x.at(dir + "/")
	return i < len(x.list) && strings.HasPrefix(x.list[i].path, dir+"/")
}

// with replaces entries of the list by path; an entry without a mode removes one. The
// last change of a path counts.
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
