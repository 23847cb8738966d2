package wire

import "strings"

// The hooks of a host program tell the daemon about the next action of a chat, and ask
// for permission. The caller reads the host's own format; these types are the common
// part.

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

// The bounds of texts about a chat. Longer texts are left out, and no guard sees their
// content.
const (
	MaxHookText  = 32 << 10 // bytes of a command
	MaxHookFiles = 200

	maxHookSession = 100
)

// HookRequest reports an event. The connection names the caller, not the request.
type HookRequest struct {
	Workspace string    `json:"workspace"` // directory that the chat, or its tool, works in
	Host      string    `json:"host"`      // program of the chat, as claude
	Event     HookEvent `json:"event"`
	Session   string    `json:"session,omitzero"` // name of the chat in its host: a label
	Again     bool      `json:"again,omitzero"`   // stops: a hook held the chat before
	Files     []string  `json:"files,omitzero"`   // calls, called: files that a tool writes to
	Command   string    `json:"command,omitzero"` // calls, called: for a shell
}

// Bounded leaves out texts beyond the bounds of a request.
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

// HookView is the answer: a text for the chat, or nothing. For calls and stops, a text
// forbids the event.
type HookView struct {
	Text string `json:"text,omitzero"`
}

// SchemaHooks is the schema of hook show, install and uninstall.
const SchemaHooks = "autopilot.hooks"

// HooksView lists the installed hooks.
type HooksView struct {
	Files []HookFile `json:"files"`
}

// HookFile is a settings file of a host.
type HookFile struct {
	Host    string   `json:"host"`
	Scope   string   `json:"scope"` // user or project
	File    string   `json:"file"`
	State   string   `json:"state"`            // installed, partly, none or unreadable
	Events  []string `json:"events"`           // with a hook
	Missing []string `json:"missing"`          // without a hook
	Calls   []string `json:"calls"`            // programs that the hooks call
	Gone    []string `json:"gone"`             // of those, missing programs
	Problem string   `json:"problem,omitzero"` // why it cannot be read
	Changed bool     `json:"changed"`          // install, uninstall: the file was written
	Diff    string   `json:"diff,omitzero"`    // changes made, or due on install
}

// The states of a settings file.
const (
	HooksInstalled  = "installed"
	HooksPartly     = "partly"
	HooksNone       = "none"
	HooksUnreadable = "unreadable"
)
