// Package meter follows the output of an agent that works, and says when its
// turn must end before it ends itself.
//
// A Meter reads the spool of one effect line by line, as the lines come, and
// judges after each that tells of something. It ends nothing itself: Follow
// answers why the turn has to end, and the caller ends the process.
//
// A turn is cut when
//
//   - it used or cost as much as it may, or began a turn more than it may. An
//     agent that has said its last event is past that: nothing is saved.
//   - it repeats itself: one tool with the same whole input Repeats times in a
//     row, with nothing else between, or 2*Repeats uses of which each was there
//     before with the same input. So a cycle of two or three is found, and work
//     that edits between its tests is not: an edit is always new. A use that
//     comes back with another result than before is no repetition either, as
//     stream.Reader sees it.
//   - its program said its last event and the process is still there after
//     Linger. What it says or does after that takes the event back; a line on
//     stderr does not. With background tasks under way it does not linger: the
//     limits of the supervisor hold for those.
//   - its output ends with a question to a person at a terminal, and nothing comes
//     behind it for Prompt: nobody sits there.
//   - for Trying nothing came of it but errors after which it tries again: it
//     waits for its provider, which the daemon does better.
//
// What an agent used is told by source: reported by the program, computed from
// reported tokens and a dated table, guessed where it did nothing and told
// nothing, else unknown. Where a program counts a session and not a call, what
// the session had used before is taken off. A total of the program replaces
// what its lines add up to, and is never added to it.
//
// After a restart the spool is read again from its beginning, which is exact as
// long as nothing was dropped. For longer outputs a checkpoint is kept beside
// the effect's records; what is lost between the two is said: Partial. What was
// used is then a lower bound, and its source unknown.
//
// Memory is bounded whatever the agent prints. A Meter belongs to one goroutine
// at a time, and appends no events.
//
// Source: Field reports, B-1, B-15, B-37, B-39, B-71, B-75.
package meter
