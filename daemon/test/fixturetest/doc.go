// Package fixturetest plays every agent of a catalogue of faults and compares
// how its end is judged with how it should be. It holds tests only.
//
// Each fixture is a small program under testdata. TestFixtures runs it under
// the real supervisor, meters it, ends it where the meter says so, and decides
// its outcome, as package work does. The table says for each:
//
//   - progress: it ended well, and left a change in its folder.
//   - no-progress: it ended well, and changed nothing.
//   - stuck: it repeated itself within its turn and was cut.
//   - else the outcome itself, of package outcome; with a cut, that of the cut.
//
// Done is never among them: only gates make a run done. What agents claim is
// played through a whole daemon, in TestFixtures of package crashtest, and what
// is expected there is how the run ends: an agent that claims to be done without
// any work is a no-op, one that claims it with some work goes on until a rail
// halts it, and neither is ever done.
//
// Memory is hogged within a limit of the fixture's own, so the machine is safe:
// the program then fails by itself. That the system ended it is injected into
// the decision, by a kill that looks the same.
//
// Source: Field reports, B.8.
package fixturetest
