// Package retro folds what can be learned from runs that are over, or not yet:
// where the time went, what failed and when that was settled, what each
// iteration used, what was used after the first repeat, and how long people
// took. A Fold is of one run; a Fleet is of many.
//
// It is pure: events and, through Texts, the blobs that they name are all that
// enters. Everything is an integer, and the parts add up: each millisecond
// between the first event and the latest is in one kind of time and in one
// iteration, and each agent is in one iteration.
//
// History is a fact: a run that is not over, events of a type that is not known,
// and clocks that went back are counted and never refused.
package retro
