// Package archive keeps the history of runs that is in the log no more, or never
// was: in bundles, one file each, and in a directory of them.
//
// A bundle is a zip file whose form is a contract, docs/bundle.md: the stored
// bytes of each event, texts by the hash of their content, and a manifest that
// has the hash of everything. A Writer makes one as a stream, with memory for its
// names only; the same calls give the same bytes.
//
// A Bundle is not to be trusted: it may come from anybody. Whatever is not as the
// format says is ErrDamaged, nothing is ever written to a path that a bundle
// names, and what is read into memory is bounded, however much a bundle unpacks
// to. Check proves all of it.
//
// An Archive is a directory of bundles, with a file of folded states for each.
// The bundle is the truth and the states are a memory of it: they are made anew
// when they are missing, damaged or of another fold. It promises that Add has a
// bundle in the directory whole, proven and durable, or not at all, and that
// opening it costs the heads of its runs only. A Bundle and an Archive may be
// used from many goroutines, a Writer from one. It starts no goroutine that
// outlives a call, and removes nothing but what a process that died left behind.
package archive
