// Package explain puts what happened to a run into words: a line for each
// event, a sentence for its state, the commands that make sense now. It is
// pure, and it is the only place outside of ctl/render that makes sentences
// for people.
//
// No text here says how a guard could be got around, as agents may read it.
package explain
