// Package work does what the engine asks for: it fixes what a run works by,
// lets agents and gates run under supervision, records trees, and writes
// prompts. It is the engine's Worker. For people it also tries gates, previews
// runs and takes workspaces back to a recorded tree.
//
// It appends nothing. Each method of the Worker makes one event and can be called
// again after a crash: effects are found by the ids that the log announced, trees
// are recorded again, texts have the same hash.
//
// A run works by its Plan alone, which is stored at its start: workflow, gates,
// prompts, environment, ignore rules and pins. What an agent edits later
// changes nothing for it.
package work
