// Package work does the work that the engine asks for. It fixes the plan of a run, runs
// agents and gates under supervision, records trees, and writes prompts. It is the
// engine's Worker. For people it also tries gates, previews runs and takes workspaces
// back to a recorded tree.
//
// It appends no event. Each method of the Worker makes one event, and can be called again
// after a crash. The log announced the ids of effects, trees are recorded again, and
// texts have the same hash.
//
// A run works by its Plan alone, stored at its start: workflow, gates, prompts,
// environment, ignore rules and pins. Later edits by an agent change nothing for it.
package work
