package tree

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/adler32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// objects writes the objects of one Record at once: few as files of their own, many as a
// pack. None of them exists before flush returns, and existing ones are not written
// again. Goroutines may share its methods, except flush and close.
type objects struct {
	r *Repo

	once   sync.Once
	packs  []packIndex
	fanout [256]bool // which folders of loose objects exist

	mu     sync.Mutex
	fresh  map[string]bool // ids taken so far
	loose  []object        // waiting objects
	bytes  int             // bytes of the waiting objects
	pack   *packing
	failed error
}

type object struct {
	id    string
	whole []byte // with the header
}

// Above these bounds, objects go into a pack.
const (
	mostLoose  = 64
	looseBytes = 16 << 20
)

func (r *Repo) objects() *objects { return &objects{r: r, fresh: map[string]bool{}} }

// find looks for packs and folders of objects.
func (o *objects) find() {
	o.once.Do(func() {
		entries, _ := os.ReadDir(filepath.Join(o.r.dir, "objects")) // no folder: no objects
		for _, e := range entries {
			if b, err := hex.DecodeString(e.Name()); err == nil && len(b) == 1 {
				o.fanout[b[0]] = true
			}
		}
		o.packs = openPacks(filepath.Join(o.r.dir, "objects", "pack"), o.r.idLen/2)
	})
}

// has says whether the repository has an object.
func (o *objects) has(id string) bool {
	o.find()
	raw, err := hex.DecodeString(id)
	if err != nil || len(raw) != o.r.idLen/2 {
		return false
	}
	for _, p := range o.packs {
		if p.has(raw) {
			return true
		}
	}
	if !o.fanout[raw[0]] {
		return false
	}
	_, err = os.Lstat(o.r.loose(id))
	return err == nil
}

// put takes an object and returns its id.
func (o *objects) put(kind string, body []byte) (string, error) {
	id, whole := o.r.named(kind, body)
	if o.taken(id) {
		return id, nil
	}
	o.mu.Lock()
	if o.pack == nil {
		defer o.mu.Unlock()
		o.loose, o.bytes = append(o.loose, object{id, whole}), o.bytes+len(whole)
		if len(o.loose) > mostLoose || o.bytes > looseBytes {
			return id, o.unite()
		}
		return id, nil
	}
	o.mu.Unlock()
	packed, err := deflatePacked(whole) // outside of the lock
	if err != nil {
		return "", err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return id, o.add(id, packed)
}

// taken says that an object needs no write, and else counts it as written.
func (o *objects) taken(id string) bool {
	o.mu.Lock()
	known := o.fresh[id]
	o.mu.Unlock()
	if known || o.has(id) {
		return true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	known, o.fresh[id] = o.fresh[id], true
	return known
}

// unite begins a pack with the waiting objects. The caller holds o.mu.
func (o *objects) unite() error {
	for _, l := range o.loose {
		packed, err := deflatePacked(l.whole)
		if err != nil {
			return err
		}
		if err := o.add(l.id, packed); err != nil {
			return err
		}
	}
	o.loose, o.bytes = nil, 0
	return nil
}

// add writes into the pack, or begins a new one after a full pack. The caller holds o.mu.
func (o *objects) add(id string, packed []byte) (err error) {
	if o.failed != nil {
		return o.failed
	}
	defer func() { o.failed = err }()
	if o.pack != nil && o.pack.at > fullPack {
		if err := o.pack.finish(); err != nil {
			return err
		}
		o.pack = nil
	}
	if o.pack == nil {
		if o.pack, err = newPacking(o.r); err != nil {
			return err
		}
	}
	return o.pack.add(id, packed)
}

// flush writes the taken objects, as durably as the repository's setting.
func (o *objects) flush() error {
	if o.failed != nil {
		return o.failed
	}
	if o.pack != nil {
		p := o.pack
		o.pack = nil
		if err := p.finish(); err != nil {
			return fmt.Errorf("write pack: %w", err)
		}
	}
	list := o.loose
	o.loose, o.bytes = nil, 0
	if err := o.r.writeAll(list); err != nil {
		return fmt.Errorf("write objects: %w", err)
	}
	return nil
}

// close drops objects without a flush.
func (o *objects) close() {
	if o.pack != nil {
		o.pack.drop()
	}
	for _, p := range o.packs {
		p.close()
	}
}

// writeAll writes objects as files of their own. One sync is enough for all, if the file
// system allows.
func (r *Repo) writeAll(list []object) (err error) {
	type written struct{ temp, path string }
	var all []written
	defer func() {
		for _, w := range all {
			_ = os.Remove(w.temp) // renamed, or useless now
		}
	}()
	batch := r.durable && len(list) > 1 && fsyncMethod(r.dir) == "batch"
	for i, l := range list {
		path := r.loose(l.id)
		if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		temp, err := r.writeOne(filepath.Dir(path), l.whole, batch && i < len(list)-1)
		if temp != "" {
			all = append(all, written{temp, path})
		}
		if err != nil {
			return err
		}
	}
	for _, w := range all {
		if err := os.Rename(w.temp, w.path); err != nil {
			return err
		}
	}
	return nil
}

// writeOne writes an object under a name that git takes for an unfinished one.
func (r *Repo) writeOne(dir string, whole []byte, later bool) (temp string, err error) {
	f, err := os.CreateTemp(dir, "tmp_obj_")
	if err != nil {
		return "", err
	}
	err = deflateLoose(f, whole)
	if err == nil {
		err = f.Chmod(0o400)
	}
	switch {
	case err != nil || !r.durable:
	case later:
		err = writeOut(f)
	default:
		err = f.Sync()
	}
	return f.Name(), errors.Join(err, f.Close())
}

var deflaters = sync.Pool{New: func() any {
	z, _ := zlib.NewWriterLevel(nil, zlib.BestSpeed) // the level is valid
	return z
}}

// oneBlock is the size of a small loose object: it takes one block of a disk, compressed
// or not.
const oneBlock = 4096 - 11

// deflateLoose writes a small object as one stored block. A compressor takes more than a
// megabyte of memory, and commits and trees of a run are written one at a time.
func deflateLoose(w io.Writer, text []byte) error {
	if len(text) > oneBlock {
		return deflate(w, text)
	}
	b := make([]byte, 0, len(text)+11)
	b = append(b, 0x78, 0x01, 0x01) // zlib, the last block, stored
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	b = binary.LittleEndian.AppendUint16(b, ^uint16(len(text)))
	b = append(b, text...)
	_, err := w.Write(binary.BigEndian.AppendUint32(b, adler32.Checksum(text)))
	return err
}

func deflate(w io.Writer, text []byte) error {
	z, _ := deflaters.Get().(*zlib.Writer)
	defer deflaters.Put(z)
	z.Reset(w)
	_, err := z.Write(text)
	return errors.Join(err, z.Close())
}

// putFile takes a file that is too large for memory, as an object of its own; size is its
// required length.
func (o *objects) putFile(f io.Reader, size int64) (id string, err error) {
	temp, err := os.CreateTemp(filepath.Join(o.r.dir, "objects"), "tmp_obj_")
	if err != nil {
		return "", err
	}
	defer os.Remove(temp.Name())
	defer temp.Close()
	sum := o.r.hash()
	z, _ := deflaters.Get().(*zlib.Writer)
	defer deflaters.Put(z)
	z.Reset(temp)
	n, err := io.Copy(io.MultiWriter(sum, z), io.MultiReader(bytes.NewReader(header("blob", size)), f))
	if err == nil && n != int64(len(header("blob", size)))+size {
		err = errChanging
	}
	if err = errors.Join(err, z.Close()); err != nil {
		return "", err
	}
	id = hex.EncodeToString(sum.Sum(nil))
	if o.has(id) {
		return id, nil
	}
	if err = temp.Chmod(0o400); err == nil && o.r.durable {
		err = temp.Sync()
	}
	if err != nil {
		return "", err
	}
	path := o.r.loose(id)
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return id, os.Rename(temp.Name(), path)
}

// errChanging says that a file changed during its read.
var errChanging = errors.New("it changes while it is read")
