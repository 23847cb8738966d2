// Package logtest is the conformance suite of the event log: what every form
// of log.Log, on every server, does alike. A form that passes it can take the
// place of any other.
//
// It owns no server and no log. It asserts nothing on time, but it waits for
// what the log itself waits for.
package logtest
