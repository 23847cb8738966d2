package wire

import (
	"time"

	"autopilot/events"
)

// ConfigRequest asks for the settings of a run in Workspace.
type ConfigRequest struct {
	Workspace string            `json:"workspace"`
	Settings  map[string]string `json:"settings,omitzero"` // of the caller's environment, by key
}

// ConfigView has every setting with its value and origin, and the faults of the files.
type ConfigView struct {
	Root     string          `json:"root,omitzero"`      // the work tree; empty outside of one
	Project  string          `json:"project,omitzero"`   // path of the project's file, if there is one
	User     string          `json:"user,omitzero"`      // path of the user's file, if there is one
	UserPath string          `json:"user_path,omitzero"` // where the user's file is or would be
	Trusted  bool            `json:"trusted"`            // whether the project's file is trusted
	Hidden   []HiddenExit    `json:"hidden,omitzero"`    // exit codes that gates of the project's file hide
	Written  string          `json:"written,omitzero"`   // path of the file that config.set changed
	Values   []ConfigValue   `json:"values"`             // in the order of the documentation
	Problems []ConfigProblem `json:"problems"`
}

// ConfigValue is one setting.
type ConfigValue struct {
	Key    string `json:"key"`            // dotted: limits.iterations
	Value  string `json:"value"`          // as it would be written in YAML, on one line
	Origin string `json:"origin"`         // flag, environment, project, user or default
	Where  string `json:"where,omitzero"` // variable, or file:line
	Help   string `json:"help,omitzero"`  // one line
	// Restart says that a change counts from the daemon's next start.
	Restart bool `json:"restart,omitzero"`
}

// ConfigProblem is one fault in a file.
type ConfigProblem struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitzero"`   // from 1
	Column  int    `json:"column,omitzero"` // from 1, in characters
	Message string `json:"message"`
	Fix     string `json:"fix,omitzero"`
	Excerpt string `json:"excerpt,omitzero"`
}

// ConfigSetRequest sets one setting in a file, or removes it with Unset. The rest of the
// file stays, comments too.
type ConfigSetRequest struct {
	Workspace string `json:"workspace"`
	User      bool   `json:"user,omitzero"` // in the user's file; else in the file of the key, the project's before the user's
	Key       string `json:"key"`
	Value     string `json:"value,omitzero"` // YAML
	Unset     bool   `json:"unset,omitzero"`
}

// TrustRequest asks about the project's file.
type TrustRequest struct {
	Workspace string `json:"workspace"`
	// Hash and Typed are for trust.give: the content, and the person's text at the
	// terminal.
	Hash  string `json:"hash,omitzero"`
	Typed string `json:"typed,omitzero"`
	PIN   string `json:"pin,omitzero"` // in place of typed, where a PIN is set
}

// challenge is how much of a hash a person types.
const challenge = 6

// Challenge is the text that a person types at a terminal to trust the content with that
// hash.
func Challenge(hash string) string { return hash[:min(len(hash), challenge)] }

// TrustView says whether the project's files are trusted, and shows what trust would
// cover.
type TrustView struct {
	File    string     `json:"file"`           // absolute: the configuration if alone, else the directory of the files
	Files   []string   `json:"files,omitzero"` // below the work tree: configuration, workflows and prompts
	Hash    string     `json:"hash"`           // SHA-256 of the content of all of them, lower-case hex
	Trusted bool       `json:"trusted"`
	At      *time.Time `json:"at,omitzero"` // when a person trusted it
	By      string     `json:"by,omitzero"` // the actor
	Assured string     `json:"assurance,omitzero"`
	PIN     bool       `json:"pin,omitzero"`    // trust needs the PIN, not the hash
	Before  events.Ref `json:"before,omitzero"` // the content of the last trust
	Diff    string     `json:"diff,omitzero"`   // unified, from Before, or the whole file as added
}

// AgentRequest asks for the agents; with Name for that one.
type AgentRequest struct {
	Workspace string   `json:"workspace"`
	Env       []string `json:"env"` // as with StartRequest
	Name      string   `json:"name,omitzero"`
	Check     bool     `json:"check,omitzero"` // ask the programs for version and options
}

// AgentsView is every agent profile.
type AgentsView struct {
	Agents []AgentView `json:"agents"`
	// Untrusted is the project's file, if it was left out for lack of trust.
	Untrusted string `json:"untrusted,omitzero"`
}

// AgentView is one agent profile and its program here.
type AgentView struct {
	Name      string `json:"name"`
	Origin    string `json:"origin"`              // shipped, project or user
	Program   string `json:"program,omitzero"`    // absolute path; empty if not found
	Version   string `json:"version,omitzero"`    // in the program's own words, if asked
	Login     string `json:"login,omitzero"`      // key, account, none or unknown
	LoginFrom string `json:"login_from,omitzero"` // variable or file behind that
	Verified  bool   `json:"verified"`            // the profile was tested with the real program
	// VerifiedWith is the version of the program in that test.
	VerifiedWith string   `json:"verified_with,omitzero"`
	Permissions  string   `json:"permissions"`       // permissions without asking, in one line
	Full         bool     `json:"full,omitzero"`     // permissions are full, as the configuration says
	Note         string   `json:"note,omitzero"`     // another remark for people, in one line
	Argv         []string `json:"argv"`              // command line in a run
	Prompt       string   `json:"prompt"`            // stdin or file
	Env          []string `json:"env,omitzero"`      // names of variables beside the run's
	Strip        []string `json:"strip,omitzero"`    // names of variables that it does not get
	Problems     []string `json:"problems,omitzero"` // each with its fix
}

// ProjectRequest asks for the contents of a workspace.
type ProjectRequest struct {
	Workspace string   `json:"workspace"`
	Env       []string `json:"env,omitzero"`
}

// ProjectView lists the contents of a workspace.
type ProjectView struct {
	Root    string         `json:"root"`
	Dirs    []string       `json:"dirs,omitzero"`   // directories below the root that the gates come from; none is the root
	Kinds   []string       `json:"kinds"`           // go, node, rust, python, java, make ...
	Found   []ProjectFound `json:"found"`           // the files behind that
	Near    string         `json:"near,omitzero"`   // directory of the request below the root; empty is the root
	Gates   []ProjectGate  `json:"gates"`           // proposed, best first: those of the nearest manifest, then those of the root
	Others  []ProjectGate  `json:"others,omitzero"` // goals of the other packages of the tree
	More    int            `json:"more,omitzero"`   // further ones, not listed
	Setup   string         `json:"setup,omitzero"`
	Agents  []AgentView    `json:"agents"` // installed ones
	Config  string         `json:"config"` // path of the file, or of the one to write
	Exists  bool           `json:"exists,omitzero"`
	Missing []string       `json:"missing,omitzero"` // programs that the gates need and the host lacks
}

// ProjectFound is one file and what it says.
type ProjectFound struct {
	File string `json:"file"`
	Says string `json:"says"`
}

// ProjectGate is a proposed gate.
type ProjectGate struct {
	Name    events.Name     `json:"name"`
	Role    events.GateRole `json:"role"`
	Command string          `json:"command"`
	From    string          `json:"from"`             // source file
	Missing []string        `json:"missing,omitzero"` // programs that it needs and the host lacks
	Hidden  []HiddenExit    `json:"hidden,omitzero"`  // exit codes that it hides
}

// GateTryRequest runs gates once, as a run would, and records nothing. The gates change
// the work tree as any run of the tests does. They end when the client leaves.
type GateTryRequest struct {
	Workspace string     `json:"workspace"`
	Env       []string   `json:"env"`
	Gates     []GateSpec `json:"gates"`
}

// GateTryFrame is one gate at its begin or end. The last frame has no gate: it lists the
// changes of all gates to the work tree.
type GateTryFrame struct {
	Gate    GateView `json:"gate"`
	Ended   bool     `json:"ended"`
	Failing []string `json:"failing,omitzero"` // at most 20
	Excerpt string   `json:"excerpt,omitzero"` // of the output of a failed gate
	// Rewrote are recorded files that the gate rewrote, at most 20 that git tracks.
	// Unignored are those that git neither tracks nor ignores. A run refuses such a gate.
	Rewrote   []string `json:"rewrote,omitzero"`
	Unignored []string `json:"unignored,omitzero"`

	Made    []string `json:"made,omitzero"`    // new files, at most 20
	Changed []string `json:"changed,omitzero"` // changed files, at most 20
}

// InitView is the answer of init: the contents of the project, the tried gates and the
// written file.
type InitView struct {
	Project  ProjectView     `json:"project"`
	Tried    []GateTryFrame  `json:"tried,omitzero"`    // tried gates, in the order of their end
	Made     []string        `json:"made,omitzero"`     // files that the gates made
	Agent    string          `json:"agent,omitzero"`    // the chosen agent
	Config   string          `json:"config"`            // the written file
	Problems []ConfigProblem `json:"problems,omitzero"` // of that file
	Trusted  bool            `json:"trusted"`
	Next     []string        `json:"next"` // next commands, best first
}

// DoctorRequest asks for all possible faults here.
type DoctorRequest struct {
	Workspace string   `json:"workspace"`
	Env       []string `json:"env"`
}

// DoctorView lists the findings.
type DoctorView struct {
	Findings []DoctorFinding `json:"findings"`
}

// The levels of findings, best to worst. Unknown is for checks that could not be made.
const (
	LevelOK      = "ok"
	LevelUnknown = "unknown"
	LevelNote    = "note"
	LevelWarning = "warning"
	LevelError   = "error"
)

// DoctorFinding is the result of one check.
type DoctorFinding struct {
	Topic string `json:"topic"` // agents, path, git, disk ...
	Level string `json:"level"` // ok, unknown, note, warning or error; unknown: the check could not be made
	What  string `json:"what"`
	Fix   string `json:"fix,omitzero"`
}

// ServiceView is the state of the daemon as a service.
type ServiceView struct {
	File      string   `json:"file"`
	Text      string   `json:"text,omitzero"` // of the file
	Installed bool     `json:"installed"`
	Changed   bool     `json:"changed"` // the file was written or removed, or would be
	DryRun    bool     `json:"dry_run,omitzero"`
	Active    bool     `json:"active,omitzero"`   // the service runs
	Problem   string   `json:"problem,omitzero"`  // what the service manager said
	Commands  []string `json:"commands,omitzero"` // commands that ran, or that are to run
	Linger    bool     `json:"linger"`            // services of the user go on after logout
}
