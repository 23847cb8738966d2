package wire

import (
	"time"

	"autopilot/events"
)

// ConfigRequest asks for the settings that a run in Workspace would have.
type ConfigRequest struct {
	Workspace string            `json:"workspace"`
	Settings  map[string]string `json:"settings,omitzero"` // of the caller's environment, by key
}

// ConfigView is every setting with its value and where it comes from, and what
// is wrong with the files.
type ConfigView struct {
	Root     string          `json:"root,omitzero"`      // the work tree; empty outside of one
	Project  string          `json:"project,omitzero"`   // path of the project's file, if there is one
	User     string          `json:"user,omitzero"`      // path of the user's file, if there is one
	UserPath string          `json:"user_path,omitzero"` // where the user's file is or would be
	Trusted  bool            `json:"trusted"`            // whether the project's file is
	Hidden   []HiddenExit    `json:"hidden,omitzero"`    // exit codes that gates of the project's file hide
	Written  string          `json:"written,omitzero"`   // path of the file that config.set has changed
	Values   []ConfigValue   `json:"values"`             // in the order in which they are documented
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

// ConfigProblem is one thing that is wrong with a file.
type ConfigProblem struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitzero"`   // from 1
	Column  int    `json:"column,omitzero"` // from 1, in characters
	Message string `json:"message"`
	Fix     string `json:"fix,omitzero"`
	Excerpt string `json:"excerpt,omitzero"`
}

// ConfigSetRequest sets, or with Unset removes, one setting in a file. What else
// stands there stays as it is, comments too.
type ConfigSetRequest struct {
	Workspace string `json:"workspace"`
	User      bool   `json:"user,omitzero"` // in the user's file, else in the one that the key belongs to, the project's before the user's
	Key       string `json:"key"`
	Value     string `json:"value,omitzero"` // YAML
	Unset     bool   `json:"unset,omitzero"`
}

// TrustRequest asks about the project's file.
type TrustRequest struct {
	Workspace string `json:"workspace"`
	// Hash and Typed belong to trust.give: which content, and what the person
	// typed at the terminal.
	Hash  string `json:"hash,omitzero"`
	Typed string `json:"typed,omitzero"`
	PIN   string `json:"pin,omitzero"` // instead of that, where one is set
}

// challenge is how much of a hash a person types.
const challenge = 6

// Challenge is what a person types at a terminal to agree to the content with
// that hash.
func Challenge(hash string) string { return hash[:min(len(hash), challenge)] }

// TrustView says whether the project's files are trusted, and what a person would
// agree to.
type TrustView struct {
	File    string     `json:"file"`           // absolute: the configuration if it is all, else the directory of the files
	Files   []string   `json:"files,omitzero"` // below the work tree: configuration, workflows and prompts
	Hash    string     `json:"hash"`           // SHA-256 of the content of all of them, lower-case hex
	Trusted bool       `json:"trusted"`
	At      *time.Time `json:"at,omitzero"` // when it was trusted
	By      string     `json:"by,omitzero"` // the actor
	Assured string     `json:"assurance,omitzero"`
	PIN     bool       `json:"pin,omitzero"`    // is asked for, instead of the start of the hash
	Before  events.Ref `json:"before,omitzero"` // the content that was trusted last
	Diff    string     `json:"diff,omitzero"`   // unified, from Before, or the whole file as added
}

// AgentRequest asks which agents there are; with Name for that one.
type AgentRequest struct {
	Workspace string   `json:"workspace"`
	Env       []string `json:"env"` // as with StartRequest
	Name      string   `json:"name,omitzero"`
	Check     bool     `json:"check,omitzero"` // ask the programs for version and options
}

// AgentsView is every agent profile.
type AgentsView struct {
	Agents []AgentView `json:"agents"`
	// Untrusted is the project's file when it was left out, as nobody has agreed
	// to it.
	Untrusted string `json:"untrusted,omitzero"`
}

// AgentView is one agent profile and what is known of its program here.
type AgentView struct {
	Name      string `json:"name"`
	Origin    string `json:"origin"`              // shipped, project or user
	Program   string `json:"program,omitzero"`    // absolute path; empty when it is not found
	Version   string `json:"version,omitzero"`    // as it says itself, when it was asked
	Login     string `json:"login,omitzero"`      // key, account, none or unknown
	LoginFrom string `json:"login_from,omitzero"` // the variable or file that says so
	Verified  bool   `json:"verified"`            // the profile was tried with the real program
	// VerifiedWith is the version of the program that it was tried with.
	VerifiedWith string   `json:"verified_with,omitzero"`
	Permissions  string   `json:"permissions"`       // what it may do unasked, in one line
	Full         bool     `json:"full,omitzero"`     // permissions are full, as the configuration says
	Note         string   `json:"note,omitzero"`     // what else a person should know, in one line
	Argv         []string `json:"argv"`              // as a run would call it
	Prompt       string   `json:"prompt"`            // stdin or file
	Env          []string `json:"env,omitzero"`      // names that it gets beside the run's
	Strip        []string `json:"strip,omitzero"`    // names that it does not get
	Problems     []string `json:"problems,omitzero"` // each with its fix
}

// ProjectRequest asks what a workspace is made of.
type ProjectRequest struct {
	Workspace string   `json:"workspace"`
	Env       []string `json:"env,omitzero"`
}

// ProjectView is what was found in a workspace.
type ProjectView struct {
	Root    string         `json:"root"`
	Dirs    []string       `json:"dirs,omitzero"`   // directories below the root that the gates are from; none is the root
	Kinds   []string       `json:"kinds"`           // go, node, rust, python, java, make ...
	Found   []ProjectFound `json:"found"`           // what says so
	Near    string         `json:"near,omitzero"`   // directory below the root that was asked for; empty is the root
	Gates   []ProjectGate  `json:"gates"`           // proposed, best first: those of the nearest manifest, then those of the root
	Others  []ProjectGate  `json:"others,omitzero"` // goals of the other packages of the tree
	More    int            `json:"more,omitzero"`   // further ones that are not listed
	Setup   string         `json:"setup,omitzero"`
	Agents  []AgentView    `json:"agents"` // those that are installed
	Config  string         `json:"config"` // path of the file that there is, or would be
	Exists  bool           `json:"exists,omitzero"`
	Missing []string       `json:"missing,omitzero"` // programs that the gates need and that are not there
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
	From    string          `json:"from"`             // the file that it comes from
	Missing []string        `json:"missing,omitzero"` // programs that it needs and that are not there
	Hidden  []HiddenExit    `json:"hidden,omitzero"`  // exit codes that it hides
}

// GateTryRequest runs gates once, as a run would, and records nothing. The work
// tree is changed by them as by any run of the tests. They end when the client
// leaves.
type GateTryRequest struct {
	Workspace string     `json:"workspace"`
	Env       []string   `json:"env"`
	Gates     []GateSpec `json:"gates"`
}

// GateTryFrame is one gate that was begun, or has ended; the last frame has no
// gate and says what all of them did to the files of the work tree.
type GateTryFrame struct {
	Gate    GateView `json:"gate"`
	Ended   bool     `json:"ended"`
	Failing []string `json:"failing,omitzero"` // at most 20
	Excerpt string   `json:"excerpt,omitzero"` // of what a failed one printed
	// Rewrote are recorded files that the gate has rewritten, at most 20 that git tracks;
	// Unignored those that it neither tracks nor ignores. A run refuses such a gate.
	Rewrote   []string `json:"rewrote,omitzero"`
	Unignored []string `json:"unignored,omitzero"`

	Made    []string `json:"made,omitzero"`    // files that were not there, at most 20
	Changed []string `json:"changed,omitzero"` // files that were, at most 20
}

// InitView is the answer of init: what was found, tried and written.
type InitView struct {
	Project  ProjectView     `json:"project"`
	Tried    []GateTryFrame  `json:"tried,omitzero"`    // gates that were run, as they ended
	Made     []string        `json:"made,omitzero"`     // files that the gates made
	Agent    string          `json:"agent,omitzero"`    // that was picked
	Config   string          `json:"config"`            // the file that was written
	Problems []ConfigProblem `json:"problems,omitzero"` // of that file
	Trusted  bool            `json:"trusted"`
	Next     []string        `json:"next"` // commands to go on with, best first
}

// DoctorRequest asks for everything that could go wrong here.
type DoctorRequest struct {
	Workspace string   `json:"workspace"`
	Env       []string `json:"env"`
}

// DoctorView is what was found.
type DoctorView struct {
	Findings []DoctorFinding `json:"findings"`
}

// Levels of findings, from the best to the worst. Unknown is what could not be
// looked at.
const (
	LevelOK      = "ok"
	LevelUnknown = "unknown"
	LevelNote    = "note"
	LevelWarning = "warning"
	LevelError   = "error"
)

// DoctorFinding is one thing that was looked at.
type DoctorFinding struct {
	Topic string `json:"topic"` // agents, path, git, disk ...
	Level string `json:"level"` // ok, unknown, note, warning or error; unknown is what could not be looked at
	What  string `json:"what"`
	Fix   string `json:"fix,omitzero"`
}

// ServiceView is what became of the daemon as a service.
type ServiceView struct {
	File      string   `json:"file"`
	Text      string   `json:"text,omitzero"` // of the file
	Installed bool     `json:"installed"`
	Changed   bool     `json:"changed"` // the file was written or taken away, or would be
	DryRun    bool     `json:"dry_run,omitzero"`
	Active    bool     `json:"active,omitzero"`   // the service runs
	Problem   string   `json:"problem,omitzero"`  // what the service manager said
	Commands  []string `json:"commands,omitzero"` // to run, or to be run
	Linger    bool     `json:"linger"`            // services of the user go on without a session
}
