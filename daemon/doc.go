// Package daemon puts the parts together: it opens the state directory, folds
// every run from the log, serves live runs and commands, and closes in the
// reverse order.
//
// What it knows of a subject is in a package of its own (fleet, budget, machine,
// claim and so on); here they are made, told of each other, and asked. It owns all
// long-lived goroutines but those of the bus, of notify and of the actors of the
// fleet, which it opens and closes. One daemon serves one state directory, held by
// a lock. When it dies, effects live on under their supervisors; the next daemon
// finds them by the ids in the log.
package daemon
