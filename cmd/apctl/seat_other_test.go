//go:build !linux

package main_test

// seat is for systems on which a person can be proven.
func seat() (code int, is bool) { return 0, false }
