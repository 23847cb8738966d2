// Package prove tells whether stored history is what it was: of events sequence,
// hash chain, form and seals, of the texts that they name that these are there and
// unchanged, of the archive each bundle. It folds every aggregate anew on the way,
// and compares with what a daemon has folded.
//
// A Proof is made for one look and used by one goroutine; decoding of records and
// reading of texts run on all cores. What is proven is read and never changed, so
// a store may be proven while a daemon writes behind it.
//
// Promises:
//   - What is wrong with the history is a problem in the Reply and no error: an
//     error says that something could not be looked at.
//   - Problems of events come in stored order, and of an aggregate whose events are
//     not those that were acknowledged only the first is named.
//   - A text that is missing counts as gone where a host recorded that it was erased
//     or pruned, or where that is under way. One that was changed never does.
//
// It knows no state directory: the caller says where files are.
package prove
