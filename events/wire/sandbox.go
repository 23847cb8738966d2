package wire

import "autopilot/events"

// SchemaSandbox is the answer of agent sandbox.
const SchemaSandbox = "autopilot.sandbox"

// SandboxRequest asks what a command may touch in a workspace.
type SandboxRequest struct {
	Workspace string         `json:"workspace"`
	Env       []string       `json:"env"`
	Mode      events.Sandbox `json:"mode,omitzero"`  // empty is what the settings say
	Agent     string         `json:"agent,omitzero"` // name of a profile whose folders count; empty is any
	Argv      []string       `json:"argv"`
}

// SandboxView is what a command may touch. Paths that do not exist are left out.
type SandboxView struct {
	Mode       events.Sandbox `json:"mode"`
	Workspace  string         `json:"workspace"`
	Argv       []string       `json:"argv"`
	Program    string         `json:"program,omitzero"` // that the first word stands for; absent when it is not found
	Problem    string         `json:"problem,omitzero"` // why it is not
	Hidden     []string       `json:"hidden"`           // cannot be seen
	Emptied    []string       `json:"emptied"`          // empty, and can be filled
	Shown      []string       `json:"shown"`            // in sight below those
	ReadOnly   []string       `json:"read_only"`
	Fixed      []string       `json:"fixed"`      // cannot be renamed, nor linked or moved across
	Restricted bool           `json:"restricted"` // writes go to writable only
	Writable   []string       `json:"writable"`
	Allowed    []string       `json:"allowed"` // what the settings keep in reach
	Lacking    []LackView     `json:"lacking"` // what this host cannot enforce
	Shim       string         `json:"shim"`    // the program that runs it so
	Untrusted  string         `json:"untrusted,omitzero"`
}

// LackView is something that a host cannot enforce.
type LackView struct {
	What string `json:"what"` // namespaces, hide, read-only, terminals, signals, sockets, landlock
	Why  string `json:"why"`
}
