// Package route is the router: it reads what a person has typed and says what it would
// best be done with. It has every word that starts, continues, stops or excludes work,
// the size of a task and the gate before too vague a one.
//
// All of it is a function of its arguments: no I/O, no clock, no state. It starts and
// switches nothing. It stands apart from projections/rule because apctl and its hooks
// link it, and must start in milliseconds.
//
// Sources: oh-my-codex, seeds 4.1.4 and 4.7, and its release 0.21.6 where these are
// silent; atdd-kit, seeds 3.1 and 3.8.
package route
