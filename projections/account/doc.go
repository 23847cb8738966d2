// Package account folds what a provider has said of one account, and has the
// rules that follow from it: how long a limit is waited for, how many agents may
// work at once, who goes first, and when the account lets nobody in.
//
// All of it is pure: time enters as an argument, and what looks like chance is a
// hash of the run's id, so the same log leads to the same waits.
package account
