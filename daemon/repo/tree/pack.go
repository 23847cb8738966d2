package tree

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"golang.org/x/sys/unix"
)

// Packs in git's form, version 2, without deltas. One file for many objects costs a
// hundredth of a file for each.

// fullPack is the size at which the next pack begins, so that every offset fits into 31
// bits.
const fullPack = 1 << 30

// packKinds maps kinds of objects to their numbers in a pack.
var packKinds = map[string]byte{"commit": 1, "tree": 2, "blob": 3}

// deflatePacked is an object in the form of a pack.
func deflatePacked(whole []byte) ([]byte, error) {
	head, body, _ := bytes.Cut(whole, []byte{0})
	kind, _, _ := bytes.Cut(head, []byte{' '})
	var b bytes.Buffer
	b.Grow(len(body)/2 + 16)
	size := uint64(len(body))
	c := packKinds[string(kind)]<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		b.WriteByte(c | 0x80)
		c = byte(size & 0x7f)
	}
	b.WriteByte(c)
	err := deflate(&b, body)
	return b.Bytes(), err
}

// packing is a pack under construction.
type packing struct {
	r    *Repo
	f    *os.File
	w    *bufio.Writer
	at   int64
	list []packed
}

type packed struct {
	id  string // in hex
	crc uint32
	at  uint32
}

func newPacking(r *Repo) (*packing, error) {
	f, err := os.CreateTemp(filepath.Join(r.dir, "objects", "pack"), "tmp_pack_")
	if err != nil {
		return nil, err
	}
	p := &packing{r: r, f: f, w: bufio.NewWriterSize(f, 1<<20), at: 12}
	_, err = p.w.Write(packHead(0)) // the count is known at the end
	return p, err
}

func packHead(n int) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("PACK"), 2), uint32(n))
}

func (p *packing) add(id string, object []byte) error {
	p.list = append(p.list, packed{id, crc32.ChecksumIEEE(object), uint32(p.at)})
	n, err := p.w.Write(object)
	p.at += int64(n)
	return err
}

func (p *packing) drop() {
	_ = p.f.Close()
	_ = os.Remove(p.f.Name()) // git prune removes a leftover
}

// finish names the pack by its sum, and writes its index.
func (p *packing) finish() error {
	defer p.drop()
	sum, err := p.sum()
	if err != nil {
		return err
	}
	if p.r.durable {
		if err := p.f.Sync(); err != nil {
			return err
		}
	}
	name := filepath.Join(filepath.Dir(p.f.Name()), "pack-"+hex.EncodeToString(sum))
	if err := p.f.Chmod(0o400); err != nil {
		return err
	}
	if err := os.Rename(p.f.Name(), name+".pack"); err != nil {
		return err
	}
	// A pack without its index is invisible.
	if err := replace(name+".idx", p.index(sum), 0o400, p.r.durable); err != nil {
		return err
	}
	if !p.r.durable {
		return nil
	}
	dir, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// sum ends the file with the sum of its content.
func (p *packing) sum() ([]byte, error) {
	if err := p.w.Flush(); err != nil {
		return nil, err
	}
	if _, err := p.f.WriteAt(packHead(len(p.list)), 0); err != nil {
		return nil, err
	}
	if _, err := p.f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	h := p.r.hash()
	if _, err := io.CopyBuffer(struct{ io.Writer }{h}, p.f, make([]byte, 1<<20)); err != nil {
		return nil, err
	}
	sum := h.Sum(nil)
	_, err := p.f.Write(sum)
	return sum, err
}

var packIndexHead = []byte("\xfftOc\x00\x00\x00\x02")

func (p *packing) index(sum []byte) []byte {
	slices.SortFunc(p.list, func(a, b packed) int { return bytes.Compare([]byte(a.id), []byte(b.id)) })
	var first [256]uint32
	raw := make([]byte, 0, len(p.list)*p.r.idLen/2)
	for _, o := range p.list {
		raw, _ = hex.AppendDecode(raw, []byte(o.id)) // the id is valid hex
		first[raw[len(raw)-p.r.idLen/2]]++
	}
	out := slices.Clone(packIndexHead)
	n := uint32(0)
	for _, c := range first {
		n += c
		out = binary.BigEndian.AppendUint32(out, n)
	}
	out = append(out, raw...)
	for _, o := range p.list {
		out = binary.BigEndian.AppendUint32(out, o.crc)
	}
	for _, o := range p.list {
		out = binary.BigEndian.AppendUint32(out, o.at)
	}
	h := p.r.hash()
	out = append(out, sum...)
	_, _ = h.Write(out) // a hash never fails
	return h.Sum(out)
}

// packIndex is the index of a pack, as on disk.
type packIndex struct {
	text []byte
	ids  []byte
	size int // of an id
}

// openPacks maps the indexes of packs. It skips other formats: their objects are written
// again.
func openPacks(dir string, size int) (list []packIndex) {
	entries, _ := filepath.Glob(filepath.Join(dir, "pack-*.idx")) // the pattern is valid
	for _, path := range entries {
		if p, err := openPack(path, size); err == nil {
			list = append(list, p)
		}
	}
	return list
}

const packFanout = 8 + 256*4 // start of the ids

var errPackIndex = errors.New("unknown form of a pack's index")

func openPack(path string, size int) (p packIndex, err error) {
	if _, err := os.Lstat(path[:len(path)-len("idx")] + "pack"); err != nil {
		return p, err
	}
	f, err := os.Open(path)
	if err != nil {
		return p, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() < packFanout || info.Size() > 1<<31-1 {
		return p, errors.Join(errPackIndex, err)
	}
	text, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return p, err
	}
	p = packIndex{text: text, size: size}
	n := int(binary.BigEndian.Uint32(text[packFanout-4:]))
	if !bytes.HasPrefix(text, packIndexHead) || packFanout+n*(size+8)+2*size > len(text) {
		p.close()
		return p, errPackIndex
	}
	p.ids = text[packFanout : packFanout+n*size]
	return p, nil
}

func (p packIndex) close() { _ = unix.Munmap(p.text) }

func (p packIndex) has(id []byte) bool {
	bound := func(i int) int { return int(binary.BigEndian.Uint32(p.text[8+4*i:])) }
	from, to := 0, bound(int(id[0]))
	if id[0] > 0 {
		from = bound(int(id[0]) - 1)
	}
	if from > to || to*p.size > len(p.ids) {
		return false
	}
	at := func(i int) []byte { return p.ids[i*p.size : (i+1)*p.size] }
	i := from + sort.Search(to-from, func(i int) bool { return bytes.Compare(at(from+i), id) >= 0 })
	return i < to && bytes.Equal(at(i), id)
}
