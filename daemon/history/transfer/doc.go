// Package transfer hands the history of runs that are over to others, as bundles
// of package archive, and takes theirs in.
//
// What goes out is a copy: the events of runs with all of their bytes, and the
// texts that they name, looked through for secrets once more. What is here stays
// as it is. Runs that are not over do not go out.
//
// What comes in is for looking back only. Promises:
//   - Nothing is taken in unless all of the bundle is proven, it has only runs that
//     are over, and none of them is here with another history. A dry import does all
//     of that and takes nothing.
//   - No value of it becomes a path or a command.
//   - Texts come first and the event of the host last: whatever ends the daemon in
//     between leaves texts that nothing names, or a bundle whose event Finish appends.
//   - The same bundle may be taken in again, and is here once.
//
// One bundle is taken in at a time; exports run beside each other and beside all
// else. Who may ask for which is not decided here.
package transfer
