package removal

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"

	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/log"
)

// standing says what an aggregate is to a removal.
type standing int

const (
	keeps  standing = iota // what it names stays
	leaves                 // what only it names goes
	left                   // what it named was removed before, so it holds nothing
)

// textKey is enough of a hash to tell texts apart. Two that were taken for one
// would both stay.
type textKey [16]byte

func keyOf(ref events.Ref) (k textKey, ok bool) {
	if len(ref) != hexText {
		return k, false
	}
	_, err := hex.Decode(k[:], []byte(ref[:2*len(k)]))
	return k, err == nil
}

// Lengths of names: of a text, and of a tree in a repository with SHA-256; of a
// tree in one with SHA-1; of an effect.
const (
	hexText  = 64
	hexTree  = 40
	idLength = 26
)

// census is which of some texts and effects are named by whom. It is made by one
// pass over all that is stored, with memory for these and for the trees of some
// workspaces only.
type census struct {
	texts   map[textKey]named
	effects map[string]named
	trees   map[string]map[events.Tree]bool // that stay, by workspace
	had     map[string]bool                 // runs that leave and named some of it
}

// named says who names a thing: one that keeps, one that leaves.
type named struct{ kept, left bool }

func (n named) by(s standing) named { return named{n.kept || s == keeps, n.left || s == leaves} }

// goes says that a thing goes with those that leave.
func (n named) goes() bool { return n.left && !n.kept }

func newCensus(texts int) *census {
	return &census{
		texts: make(map[textKey]named, texts), effects: map[string]named{},
		trees: map[string]map[events.Tree]bool{}, had: map[string]bool{},
	}
}

func (c *census) ask(ref events.Ref) {
	if k, ok := keyOf(ref); ok {
		c.texts[k] = named{}
	}
}

func (c *census) text(ref events.Ref) named {
	k, _ := keyOf(ref)
	return c.texts[k]
}

// askEffect asks about the directory of an effect: those of one gate have the id
// that its event names, and a word behind it.
func (c *census) askEffect(dir string) { c.effects[effectBase(dir)] = named{} }

func (c *census) effect(dir string) named { return c.effects[effectBase(dir)] }

func effectBase(dir string) string { return dir[:min(len(dir), idLength)] }

// askTrees asks for all trees of a workspace that stay.
func (c *census) askTrees(workspace string) {
	if c.trees[workspace] == nil {
		c.trees[workspace] = map[events.Tree]bool{}
	}
}

// party is an aggregate as a census sees it.
type party struct {
	standing  standing
	id        string // of a run
	workspace string // of that run
}

// add counts an event by its stored bytes: also one that cannot be decoded, or
// whose type this version does not know, names what stays.
func (c *census) add(stored []byte, p party) {
	if p.standing == left {
		return
	}
	trees, any := c.trees[p.workspace], false
	eachWord(stored, func(word []byte) {
		switch len(word) {
		case idLength:
			if n, ok := c.effects[string(word)]; ok {
				c.effects[string(word)], any = n.by(p.standing), true
			}
			return
		case hexText:
			k, hex := keyOf(events.Ref(word))
			if n, ok := c.texts[k]; ok && hex {
				c.texts[k], any = n.by(p.standing), true
			}
		}
		if trees != nil && p.standing == keeps {
			trees[events.Tree(word)] = true
		}
	})
	if any && p.standing == leaves {
		c.had[p.id] = true
	}
}

// prevHash is before the one hash that names no text and no tree.
var prevHash = []byte(`"prevhash":"`)

// eachWord finds what may name a text, a tree or an effect, whatever it stands in.
func eachWord(b []byte, found func([]byte)) {
	begin := 0
	for i := 0; i <= len(b); i++ {
		if i < len(b) && isAlphanumeric(b[i]) {
			continue
		}
		switch i - begin {
		case idLength, hexTree, hexText:
			if !bytes.HasSuffix(b[:begin], prevHash) {
				found(b[begin:i])
			}
		}
		begin = i + 1
	}
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// count reads all that is stored, in the log and in the archive. parties are the
// runs that do not keep what they name, and those whose trees are asked for, by
// id.
func (w *Sweeper) count(ctx context.Context, c *census, heads []snapshot.Head, parties map[string]party) error {
	if err := c.addAll(w.cfg.Events.ReadAll(ctx, ""), parties); err != nil {
		return err
	}
	for _, h := range heads {
		if !w.cfg.Runs.IsArchived(h.ID) {
			continue
		}
		if err := c.addAll(w.cfg.Events.Read(ctx, events.Run(h.ID), 0), parties); err != nil {
			return err
		}
	}
	return nil
}

// addAll counts events. One that is damaged may be of any run.
func (c *census) addAll(list iter.Seq2[log.Stored, error], parties map[string]party) error {
	for stored, err := range list {
		if err != nil && !errors.Is(err, log.ErrDamaged) {
			return fmt.Errorf("look which texts are named: %w", err)
		}
		var p party
		if agg := stored.Event.Aggregate; err == nil && agg.Kind == events.KindRun {
			p = parties[agg.ID]
		}
		c.add(stored.Bytes, p)
	}
	return nil
}
