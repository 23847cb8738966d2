package tree

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"autopilot/daemon/regular"
	"autopilot/events"
)

// Small reads need no process: most objects of an iteration are loose ones that this
// package has written. Whatever is in a pack, large, missing or odd is left to git, and
// so are all errors.

// object reads a loose object of a kind whose content has its id.
func (r *Repo) object(kind, id string) (body []byte, ok bool) {
	return r.beside("").object(kind, id)
}

// looseObjects are those of some folders of objects: ours, and one of the workspace.
type looseObjects struct {
	r    *Repo
	dirs []string
}

// beside are our loose objects and those of a repository of the workspace, if one is named.
func (r *Repo) beside(objects string) looseObjects {
	dirs := []string{filepath.Join(r.dir, "objects"), objects}
	return looseObjects{r, dirs[:min(2, 1+len(objects))]}
}

func (l looseObjects) object(kind, id string) (body []byte, ok bool) {
	if !idOK(id) || len(id) != l.r.idLen {
		return nil, false
	}
	for _, dir := range l.dirs {
		f, err := regular.Open(filepath.Join(dir, id[:2], id[2:]))
		if err != nil {
			continue
		}
		body, err = inflate(f, kind)
		_ = f.Close() // it was only read
		if err == nil {
			is, _ := l.r.named(kind, body)
			return body, is == id
		}
	}
	return nil, false
}

var errOtherObject = errors.New("another kind of object, or a large one")

// inflater reads one object after the other.
type inflater struct {
	in  *bufio.Reader
	out *bufio.Reader
	z   io.ReadCloser
}

var inflaters = sync.Pool{New: func() any {
	return &inflater{in: bufio.NewReaderSize(nil, 4096), out: bufio.NewReaderSize(nil, 512)}
}}

func (i *inflater) open(from io.Reader) (err error) {
	i.in.Reset(from)
	if i.z == nil {
		i.z, err = zlib.NewReader(i.in)
	} else if again, ok := i.z.(zlib.Resetter); ok {
		err = again.Reset(i.in, nil)
	}
	if err == nil {
		i.out.Reset(i.z)
	}
	return err
}

func inflate(from io.Reader, kind string) ([]byte, error) {
	i, _ := inflaters.Get().(*inflater)
	defer inflaters.Put(i)
	if err := i.open(from); err != nil {
		return nil, err
	}
	head, err := i.out.ReadSlice(0)
	if err != nil {
		return nil, err
	}
	is, length, _ := strings.Cut(string(head[:len(head)-1]), " ")
	size, err := strconv.ParseInt(length, 10, 64)
	if err != nil || is != kind || size < 0 || size > heldBytes {
		return nil, errOtherObject
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(i.out, body); err != nil {
		return nil, err
	}
	_, err = i.out.ReadByte()
	if !errors.Is(err, io.EOF) { // its end has the checksum
		return nil, errors.Join(errOtherObject, err)
	}
	return body, nil
}

// treeModes are the modes of a tree object, with the six digits that git prints.
var treeModes = map[string]string{
	"100644": "100644", "100755": "100755", "120000": "120000", modeLink: modeLink, "40000": "040000",
}

// folder reads a loose tree object.
func (l looseObjects) folder(id string) ([]listing, bool) {
	text, ok := l.object("tree", id)
	if !ok {
		return nil, false
	}
	var list []listing
	for len(text) > 0 {
		head, rest, ok := bytes.Cut(text, []byte{0})
		mode, name, both := strings.Cut(string(head), " ")
		if !ok || !both || name == "" || treeModes[mode] == "" || len(rest) < l.r.idLen/2 {
			return nil, false
		}
		list = append(list, listing{path: name, mode: treeModes[mode], id: hex.EncodeToString(rest[:l.r.idLen/2])})
		text = rest[l.r.idLen/2:]
	}
	return list, true
}

const modeFolder = "040000"

func (r *Repo) folder(id string) ([]listing, bool) { return r.beside("").folder(id) }

// walked lists all files of a tree of loose objects, at most a number of them.
func (r *Repo) walked(t events.Tree, most int) ([]listing, bool) {
	var list []listing
	var below func(dir, id string) bool
	below = func(dir, id string) bool {
		entries, ok := r.folder(id)
		if !ok || len(list)+len(entries) > most {
			return false
		}
		for _, e := range entries {
			e.path = dir + e.path
			if e.mode != modeFolder {
				list = append(list, e)
			} else if !below(e.path+"/", e.id) {
				return false
			}
		}
		return true
	}
	if t == r.emptyTree() {
		return nil, true
	}
	return list, below("", string(t))
}

// entry finds one path of a tree of loose objects. It is zero if the tree has no such path.
func (r *Repo) entry(t events.Tree, path string) (listing, bool) {
	e := listing{mode: modeFolder, id: string(t)}
	for name := range strings.SplitSeq(path, "/") {
		if e.mode != modeFolder {
			return listing{}, true
		}
		entries, ok := r.folder(e.id)
		if !ok {
			return listing{}, false
		}
		i := slices.IndexFunc(entries, func(e listing) bool { return e.path == name })
		if i < 0 {
			return listing{}, true
		}
		e = entries[i]
	}
	e.path = path
	return e, true
}

// folders lists commits and all folders of their trees, each once, if all are loose.
func (l looseObjects) folders(commits []string) (ids []string, ok bool) {
	seen := map[string]bool{}
	var below func(id string) bool
	below = func(id string) bool {
		if seen[id] {
			return true
		}
		seen[id], ids = true, append(ids, id)
		entries, ok := l.folder(id)
		return ok && len(seen) <= mostMerged && !slices.ContainsFunc(entries, func(e listing) bool {
			return e.mode == modeFolder && !below(e.id)
		})
	}
	for _, id := range commits {
		t, _, ok := l.commit(id)
		if !ok || !below(t) {
			return nil, false
		}
		ids = append(ids, id)
	}
	return ids, true
}

// commit reads the tree of a loose commit, and its first parent if it has one.
func (l looseObjects) commit(id string) (t, parent string, ok bool) {
	text, ok := l.object("commit", id)
	head, rest, _ := strings.Cut(string(text), "\n")
	t, isTree := strings.CutPrefix(head, "tree ")
	head, _, _ = strings.Cut(rest, "\n")
	parent, _ = strings.CutPrefix(head, "parent ")
	if parent == head {
		parent = ""
	}
	return t, parent, ok && isTree
}

// firstParents lists loose commits down to base. False leaves open what the history is.
func (l looseObjects) firstParents(head, base string) (ids []string, ok bool) {
	for id := head; len(ids) <= mostCommits; {
		_, parent, ok := l.commit(id)
		if !ok {
			return nil, false
		}
		if ids = append(ids, id); id == base {
			return ids, true
		}
		id = parent
	}
	return nil, false
}

// copyLoose copies objects without a process if all are loose ones of the workspace, and
// few.
func (r *Repo) copyLoose(objects string, ids []string) (done bool, err error) {
	if len(ids) > mostMerged {
		return false, nil
	}
	from, to := r.beside(objects), r.objects()
	defer to.close()
	for _, id := range ids {
		if !slices.ContainsFunc([]string{"blob", "tree", "commit"}, func(kind string) bool {
			body, ok := from.object(kind, id)
			if ok {
				_, err = to.put(kind, body)
			}
			return ok
		}) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return true, to.flush()
}

// readable says whether an object is a loose one with a valid header. False leaves it open.
func (r *Repo) readable(id string) bool {
	if !idOK(id) || len(id) != r.idLen {
		return false
	}
	f, err := os.Open(r.loose(id))
	if err != nil {
		return false
	}
	defer f.Close()
	i, _ := inflaters.Get().(*inflater)
	defer inflaters.Put(i)
	if i.open(f) != nil {
		return false
	}
	head, err := i.out.ReadSlice(0)
	return err == nil && bytes.IndexByte(head, ' ') > 0
}

// looseOnly says that the repository has no packs.
func (r *Repo) looseOnly() bool {
	entries, err := os.ReadDir(filepath.Join(r.dir, "objects", "pack"))
	return (err == nil || errors.Is(err, fs.ErrNotExist)) && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return strings.HasSuffix(e.Name(), ".idx")
	})
}
