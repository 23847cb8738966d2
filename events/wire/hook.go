package wire

import "strings"

// The hooks of a host program tell the daemon what a chat in it is about to do,
// and ask whether that is well. What a host sends is read by the caller; here is
// what all hosts have in common.

// HookEvent is what happens in a chat.
type HookEvent string

// The events.
const (
	HookBegins HookEvent = "begins" // the chat, or its conversation
	HookCalls  HookEvent = "calls"  // a tool is about to be used
	HookCalled HookEvent = "called" // a tool was used
	HookStops  HookEvent = "stops"  // it is about to say that it has finished
	HookEnds   HookEvent = "ends"   // the chat, or its conversation
)

// Bounds of what is told of a chat: texts beyond them are left out, and what they
// would have shown is not guarded.
const (
	MaxHookText  = 32 << 10 // bytes of a command
	MaxHookFiles = 200

	maxHookSession = 100
)

// HookRequest tells of an event. Nothing in it says who the caller is.
type HookRequest struct {
	Workspace string    `json:"workspace"` // directory that the chat, or its tool, works in
	Host      string    `json:"host"`      // program of the chat
	Event     HookEvent `json:"event"`
	Session   string    `json:"session,omitzero"` // name of the chat in its host: a label
	Again     bool      `json:"again,omitzero"`   // stops: it went on as it was held before
	Files     []string  `json:"files,omitzero"`   // calls, called: that a tool writes to
	Command   string    `json:"command,omitzero"` // calls, called: for a shell
}

// Bounded leaves out what is too much for one request.
func (q HookRequest) Bounded() HookRequest {
	bytes := 0
	files := q.Files[:min(len(q.Files), MaxHookFiles)]
	q.Files = nil
	for _, f := range files {
		if bytes += len(f); f != "" && bytes <= MaxHookText/2 {
			q.Files = append(q.Files, cut(f, MaxHookText))
		}
	}
	q.Command = cut(q.Command, MaxHookText) // a shell reads from the start
	q.Session = cut(q.Session, maxHookSession)
	return q
}

// cut is the beginning of a text, as text.
func cut(s string, most int) string { return strings.ToValidUTF8(s[:min(len(s), most)], "") }

// HookView is the answer: a text that the chat shall read, or nothing. Of an event
// that is asked about (calls, stops) a text says that it shall not be.
type HookView struct {
	Text string `json:"text,omitzero"`
}

// SchemaHooks is the schema of the answers of hook show, install and uninstall.
const SchemaHooks = "autopilot.hooks"

// HooksView is what is installed of hooks.
type HooksView struct {
	Files []HookFile `json:"files"`
}

// HookFile is a settings file of a host.
type HookFile struct {
	Host    string   `json:"host"`
	Scope   string   `json:"scope"` // user or project
	File    string   `json:"file"`
	State   string   `json:"state"`            // installed, partly, none or unreadable
	Events  []string `json:"events"`           // that have a hook
	Missing []string `json:"missing"`          // that have none
	Calls   []string `json:"calls"`            // programs that are called
	Gone    []string `json:"gone"`             // of those, the ones that are not there
	Problem string   `json:"problem,omitzero"` // why it cannot be read
	Changed bool     `json:"changed"`          // install, uninstall: the file was written
	Diff    string   `json:"diff,omitzero"`    // of what was changed, or would be by install
}

// The states of a settings file.
const (
	HooksInstalled  = "installed"
	HooksPartly     = "partly"
	HooksNone       = "none"
	HooksUnreadable = "unreadable"
)
