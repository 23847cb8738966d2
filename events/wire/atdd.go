package wire

// The schemas of compat atdd import and observe: a line for each row, and their sum at
// the end.
const (
	SchemaAtddRow = "autopilot.atdd.row"
	SchemaAtdd    = "autopilot.atdd"
)

// AtddRow is a row of atdd-kit's files about an issue, or an event of one of these files.
type AtddRow struct {
	File        string        `json:"file"`
	Line        int           `json:"line,omitzero"`     // from 1; absent: the file as a whole
	Kind        string        `json:"kind"`              // iteration, halt, red, pin, file; call: of a function, with Line its number; unknown: no row that atdd-kit writes; damaged: unreadable
	Function    string        `json:"function,omitzero"` // of a call
	Iteration   int           `json:"iteration,omitzero"`
	Step        string        `json:"step,omitzero"`
	Verdict     string        `json:"verdict,omitzero"`
	Fingerprint string        `json:"fingerprint,omitzero"`
	Reason      string        `json:"reason,omitzero"` // of a halt
	Commit      string        `json:"commit,omitzero"` // of a test commit that was seen red
	Impl        string        `json:"impl_sha,omitzero"`
	Test        string        `json:"at_file,omitzero"`
	At          string        `json:"timestamp,omitzero"`
	Sum         string        `json:"sum,omitzero"` // SHA-256 of the row, without its line end
	Problems    []AtddProblem `json:"problems,omitzero"`
}

// The classes of problems.
const (
	AtddRefused = "refused" // autopilot would not have written the row
	AtddHalt    = "halt"    // autopilot would have halted here
	AtddChanged = "changed" // the recorded or approved content changed
	AtddAllowed = "allowed" // atdd-kit's own function halts the loop, and autopilot would not
)

// AtddProblem is a difference in judgement: atdd-kit accepted what autopilot would
// refuse, or the other way round.
type AtddProblem struct {
	Class  string `json:"class"` // refused, halt, changed or allowed
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// AtddView is the sum over the files of an issue.
type AtddView struct {
	Dir     string     `json:"dir"`
	Rows    int        `json:"rows"` // of all files, unreadable rows included
	Damaged int        `json:"damaged"`
	Refused int        `json:"refused"` // problems of each class
	Halts   int        `json:"halts"`
	Changed int        `json:"changed"`
	Allowed int        `json:"allowed,omitzero"`
	Calls   int        `json:"calls,omitzero"` // observed calls of functions
	Steps   []AtddStep `json:"steps"`          // as they first appear
	Due     []AtddDue  `json:"due,omitzero"`   // halts that were due, as they first appear
	Files   []string   `json:"files"`          // files that exist
}

// AtddStep is the sum over the rows of one step.
type AtddStep struct {
	Step       string `json:"step"`
	Iterations int    `json:"iterations"`
	Failed     int    `json:"failed"`
	Passed     int    `json:"passed"`
	Halt       string `json:"halt,omitzero"` // the last row of the step is this halt
}

// AtddDue is a halt that was due in a step, with the number of rows that gave reason for
// it.
type AtddDue struct {
	Step  string `json:"step,omitzero"` // absent: of unreadable rows
	Code  string `json:"code"`
	Times int    `json:"times"`
	First int    `json:"first"` // line
	Last  int    `json:"last"`
}

// AtddCall is a call of a function of atdd-kit's own library, as the state directory
// keeps it.
type AtddCall struct {
	Function string   `json:"function"`
	Args     []string `json:"args"` // the beginning of each
	File     string   `json:"file"` // the file argument
	Said     int      `json:"said"` // exit code of atdd-kit's own function
	Here     int      `json:"here"` // exit code of apctl
	Why      string   `json:"why,omitzero"`
	At       string   `json:"at"`
}

// SchemaAtddLibrary is the schema of compat atdd install and uninstall.
const SchemaAtddLibrary = "autopilot.atdd.library"

// AtddLibrary is the library of atdd-kit in a project or a plugin.
type AtddLibrary struct {
	File      string `json:"file"`
	Kept      string `json:"kept"`              // where the original is while it calls apctl
	Installed bool   `json:"installed"`         // it calls apctl; with --dry-run: it would
	Observed  bool   `json:"observed,omitzero"` // atdd-kit's own functions answer, and tell apctl
	Diff      string `json:"diff,omitzero"`     // what changes
	Changed   bool   `json:"changed"`
}

// AtddRequest asks for the files of a run. With Follow, the answer goes on until the run
// is not live.
type AtddRequest struct {
	RunRef
	Follow bool `json:"follow,omitzero"`
}

// SchemaAtddPiece is the schema of compat atdd export, a line each.
const SchemaAtddPiece = "autopilot.atdd.piece"

// AtddPiece is a row of a file, or a whole pin. The first piece says where the files are,
// and has neither.
type AtddPiece struct {
	File      string `json:"file,omitzero"`  // its name in the directory of the issue
	Text      string `json:"text,omitzero"`  // with its line end
	Whole     bool   `json:"whole,omitzero"` // replaces the content of the file, as a pin does
	Seq       uint64 `json:"seq,omitzero"`   // of its event
	Run       string `json:"run,omitzero"`   // of the first piece, as the rest
	Handle    string `json:"handle,omitzero"`
	Workspace string `json:"workspace,omitzero"`
	Dir       string `json:"dir,omitzero"`  // of the issue in it; empty: the run has no issue, and no pins
	Live      bool   `json:"live,omitzero"` // the run is live: nobody may write to its work tree
}

// SchemaAtddExport is the schema of compat atdd export with --dir.
const SchemaAtddExport = "autopilot.atdd.export"

// AtddExport lists the files of a run's export.
type AtddExport struct {
	Run     string   `json:"run"`
	Handle  string   `json:"handle"`
	Dir     string   `json:"dir"`
	Files   []string `json:"files"`   // that atdd-kit would have
	Written []string `json:"written"` // of these; the others were already right
}
