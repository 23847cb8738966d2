// Package agent knows how an agent is called and what it may leave behind.
//
// It owns five things:
//
//   - Profile: the programs that are known by name, and those of a
//     configuration. Call makes one ready for a run, View says what of it is
//     here, Account who a run works as.
//   - Shape: what one call of a run has that another has not: session, turns,
//     money. It is data that is stored with the run.
//   - Command: any command as an agent. It gets the prompt on stdin or in a
//     file, and six variables that say where it is (see Place).
//   - Result: the optional file in which an agent says what it thinks of its
//     own work. It is kept for people, and is never a verdict.
//   - Script: an agent that follows a file, for demos, tests and dry runs that
//     cost nothing.
//
// # Profiles
//
// What a shipped profile may do unasked is the least with which a program can
// work: edit the workspace and run the commands of the gates. More is only ever
// what somebody has written (PermitFull). A command that the program's rules
// could not name exactly is left out and said. No profile puts the prompt into
// argv, and the values of variables are never shown. Further arguments take no
// decision from the run: two agents in one session would mix their work.
//
// # The script agent
//
// A script lists what the agent does in each iteration; the last entry repeats.
// Every key may be left out, and they take effect in this order:
//
//	iterations:
//	  - rm: [old.txt]             # files and folders, gone or not
//	    edit:                     # whole files, folders are made
//	      src/add.go: |
//	        package add
//	    run: ["go vet ./..."]     # each by /bin/sh -c; its exit code is only said
//	    print: [all green]        # lines on stdout
//	    sleep: 1s
//	    result: {claim: done}     # written as JSON, with v: 1 unless it is given
//	    exit: 0                   # exit code of the agent
//
// Paths of rm and edit are relative to the workspace and cannot leave it, by
// symbolic links neither. What run does is not limited. An empty result writes
// no file.
//
// The package starts no process but those of a script, which run in the
// process that calls RunScript, and the programs that View asks for their
// version and options; supervising effects is not its business.
// Nothing here is shared between calls, so all of it is safe to use at once.
package agent
