package tree

import (
	"context"
	"sync/atomic"
)

// Progress counts the files of a Record that have to be looked at one by one: changed
// ones, at first all. It may be read at any time.
type Progress struct{ done, all atomic.Int64 }

// Files returns how many files are done, of those known so far.
func (p *Progress) Files() (done, all int64) { return p.done.Load(), p.all.Load() }

type progressKey struct{}

// Watch lets p count the files of each Record under the context.
func Watch(ctx context.Context, p *Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, p)
}

// progressOf is the Progress of a context, else one that nobody reads.
func progressOf(ctx context.Context) *Progress {
	if p, ok := ctx.Value(progressKey{}).(*Progress); ok {
		return p
	}
	return &Progress{}
}
