package wire

// Schemas of what compat atdd import and observe say: a line for each row, and at
// the end what they come to.
const (
	SchemaAtddRow = "autopilot.atdd.row"
	SchemaAtdd    = "autopilot.atdd"
)

// AtddRow is a row of the files that atdd-kit keeps of an issue, or what happened to
// one of these files.
type AtddRow struct {
	File        string        `json:"file"`
	Line        int           `json:"line,omitzero"`     // from 1; absent: of the file as a whole
	Kind        string        `json:"kind"`              // iteration, halt, red, pin, file; call: of a function, with Line its number; unknown: no row that atdd-kit writes; damaged: cannot be read
	Function    string        `json:"function,omitzero"` // of a call
	Iteration   int           `json:"iteration,omitzero"`
	Step        string        `json:"step,omitzero"`
	Verdict     string        `json:"verdict,omitzero"`
	Fingerprint string        `json:"fingerprint,omitzero"`
	Reason      string        `json:"reason,omitzero"` // of a halt
	Commit      string        `json:"commit,omitzero"` // of a test that was seen red
	Impl        string        `json:"impl_sha,omitzero"`
	Test        string        `json:"at_file,omitzero"`
	At          string        `json:"timestamp,omitzero"`
	Sum         string        `json:"sum,omitzero"` // SHA-256 of the row, without its line end
	Problems    []AtddProblem `json:"problems,omitzero"`
}

// The classes of problems.
const (
	AtddRefused = "refused" // the row would not have been written here
	AtddHalt    = "halt"    // the loop would have halted here
	AtddChanged = "changed" // what was recorded or approved is not what it was
	AtddAllowed = "allowed" // atdd-kit's own function halts the loop, and here it would not
)

// AtddProblem is something that atdd-kit accepted and would not have been here, or
// the other way round.
type AtddProblem struct {
	Class  string `json:"class"` // refused, halt, changed or allowed
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// AtddView is what the files of an issue come to.
type AtddView struct {
	Dir     string     `json:"dir"`
	Rows    int        `json:"rows"` // of all files, those that cannot be read too
	Damaged int        `json:"damaged"`
	Refused int        `json:"refused"` // problems of each class
	Halts   int        `json:"halts"`
	Changed int        `json:"changed"`
	Allowed int        `json:"allowed,omitzero"`
	Calls   int        `json:"calls,omitzero"` // of functions, that were seen
	Steps   []AtddStep `json:"steps"`          // as they first appear
	Due     []AtddDue  `json:"due,omitzero"`   // halts that were due, as they first appear
	Files   []string   `json:"files"`          // that are there
}

// AtddStep is what the rows say of one step.
type AtddStep struct {
	Step       string `json:"step"`
	Iterations int    `json:"iterations"`
	Failed     int    `json:"failed"`
	Passed     int    `json:"passed"`
	Halt       string `json:"halt,omitzero"` // the last thing that was recorded is this halt
}

// AtddDue is a halt that was due in a step, as often as a row gave reason for it.
type AtddDue struct {
	Step  string `json:"step,omitzero"` // absent: of rows that cannot be read
	Code  string `json:"code"`
	Times int    `json:"times"`
	First int    `json:"first"` // line
	Last  int    `json:"last"`
}

// AtddCall is a call of a function of atdd-kit's own library, as it is kept in the
// state directory.
type AtddCall struct {
	Function string   `json:"function"`
	Args     []string `json:"args"` // the beginning of each
	File     string   `json:"file"` // that it is about
	Said     int      `json:"said"` // the exit code of atdd-kit's own
	Here     int      `json:"here"` // that of apctl
	Why      string   `json:"why,omitzero"`
	At       string   `json:"at"`
}

// SchemaAtddLibrary is of compat atdd install and uninstall.
const SchemaAtddLibrary = "autopilot.atdd.library"

// AtddLibrary is the library of atdd-kit in a project or a plugin.
type AtddLibrary struct {
	File      string `json:"file"`
	Kept      string `json:"kept"`              // where the original is while it calls apctl
	Installed bool   `json:"installed"`         // it calls apctl; with --dry-run: it would
	Observed  bool   `json:"observed,omitzero"` // atdd-kit's own functions answer, and apctl is told
	Diff      string `json:"diff,omitzero"`     // what changes
	Changed   bool   `json:"changed"`
}

// AtddRequest asks for the files of a run. With Follow the answer goes on until the
// run is not live.
type AtddRequest struct {
	RunRef
	Follow bool `json:"follow,omitzero"`
}

// SchemaAtddPiece is of compat atdd export, a line each.
const SchemaAtddPiece = "autopilot.atdd.piece"

// AtddPiece is a row of a file, or a whole pin. The first one says where the files
// are, and has none.
type AtddPiece struct {
	File      string `json:"file,omitzero"`  // its name in the directory of the issue
	Text      string `json:"text,omitzero"`  // with its line end
	Whole     bool   `json:"whole,omitzero"` // takes the place of what the file had, as a pin does
	Seq       uint64 `json:"seq,omitzero"`   // of the event that it follows from
	Run       string `json:"run,omitzero"`   // of the first one, as the rest
	Handle    string `json:"handle,omitzero"`
	Workspace string `json:"workspace,omitzero"`
	Dir       string `json:"dir,omitzero"`  // of the issue in it; empty: the run names none, and has no pins
	Live      bool   `json:"live,omitzero"` // the run is: its work tree is not to be written to
}

// SchemaAtddExport is of compat atdd export with --dir.
const SchemaAtddExport = "autopilot.atdd.export"

// AtddExport says what was written of a run.
type AtddExport struct {
	Run     string   `json:"run"`
	Handle  string   `json:"handle"`
	Dir     string   `json:"dir"`
	Files   []string `json:"files"`   // that atdd-kit would have kept
	Written []string `json:"written"` // of these; the others were as they are to be
}
