// Package crashtest plays whole runs with the three real programs and real
// processes, and does to them what must not matter. It holds tests only.
//
// TestCrash kills the daemon and supervisors with SIGKILL, at random times and
// at the points of package failpoint, and compares the end of each run with the
// end that the same run has without a kill. TestCheat plays agents that cheat,
// once in a shell loop and once under autopilot. TestFixtures plays the agents
// of package fixturetest for whose end a whole run is needed. TestSoak
// plays many short runs through one daemon and compares what that holds. All need
// /proc.
//
// Every run has a state directory, a home and a socket of its own below one
// directory in /tmp, and nothing of it is left: a test fails that leaves a
// process behind.
package crashtest
