// Package run folds the events of one run into its state.
//
// Evolve never fails and never validates: history is a fact. It reads no
// clock; all it knows of time is in the events. Unknown events leave the state
// as it is and are counted. Folding at once equals folding in pieces.
package run
