package wire

import "autopilot/events"

// SchemaSandbox is the schema of agent sandbox.
const SchemaSandbox = "autopilot.sandbox"

// SandboxRequest asks what a command may touch in a workspace.
type SandboxRequest struct {
	Workspace string         `json:"workspace"`
	Env       []string       `json:"env"`
	Mode      events.Sandbox `json:"mode,omitzero"`  // empty: as the settings say
	Agent     string         `json:"agent,omitzero"` // profile whose folders count; empty is any
	Argv      []string       `json:"argv"`
}

// SandboxView is what a command may touch. It leaves out missing paths.
type SandboxView struct {
	Mode       events.Sandbox `json:"mode"`
	Workspace  string         `json:"workspace"`
	Argv       []string       `json:"argv"`
	Program    string         `json:"program,omitzero"` // path of the first word's program; absent if not found
	Problem    string         `json:"problem,omitzero"` // why it was not found
	Hidden     []string       `json:"hidden"`           // invisible
	Emptied    []string       `json:"emptied"`          // empty, and open to new files
	Shown      []string       `json:"shown"`            // visible below those
	ReadOnly   []string       `json:"read_only"`
	Fixed      []string       `json:"fixed"`      // no rename, link or move across
	Restricted bool           `json:"restricted"` // writes go to writable only
	Writable   []string       `json:"writable"`
	Allowed    []string       `json:"allowed"` // kept in reach by the settings
	Lacking    []LackView     `json:"lacking"` // missing features of this host
	Shim       string         `json:"shim"`    // the program that confines the command
	Untrusted  string         `json:"untrusted,omitzero"`
}

// LackView is something that a host cannot enforce.
type LackView struct {
	What string `json:"what"` // namespaces, hide, read-only, terminals, signals, sockets, landlock
	Why  string `json:"why"`
}
