// Package host folds the events of one host into what they say together: which
// project configurations people have trusted, and what was restored last.
//
// Evolve never fails and never validates: history is a fact. It reads no
// clock. Unknown events leave the state as it is and are counted. Folding at
// once equals folding in pieces, and a state that was folded further is still
// whole: nothing that it holds is written over.
package host
