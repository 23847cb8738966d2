package wire

import (
	"time"

	"autopilot/events"
)

// What becomes of history.

// ArchiveView is where history is, and what it takes.
type ArchiveView struct {
	Dir        string       `json:"dir"`
	Generation int          `json:"generation"` // of the log
	Events     uint64       `json:"events"`     // in it
	StoreBytes int64        `json:"store_bytes"`
	StoreQuota int64        `json:"store_quota"`
	Over       int          `json:"over"`    // runs in the log that a roll would put into a bundle
	Carried    int          `json:"carried"` // runs in the log that it would carry over
	Texts      Room         `json:"texts"`   // blobs
	Outputs    Room         `json:"outputs"` // folders of effects
	Trees      Room         `json:"trees"`   // recorded trees
	Pruned     time.Time    `json:"pruned,omitzero"`
	Bundles    []BundleView `json:"bundles"` // the oldest first
}

// Room is what files take.
type Room struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

// BundleView is a file of history.
type BundleView struct {
	File     string        `json:"file"`
	SHA256   events.Digest `json:"sha256"`
	At       time.Time     `json:"at"` // when it came here
	Imported bool          `json:"imported,omitzero"`
	Runs     int           `json:"runs"`
	Events   int           `json:"events"`
	Bytes    int64         `json:"bytes"`
	Problem  string        `json:"problem,omitzero"` // why it cannot be read
}

// RollRequest begins a new generation of the log, by a restart of the daemon.
type RollRequest struct {
	DryRun bool `json:"dry_run,omitzero"` // only say what it would do
}

// RollView is what a roll will do.
type RollView struct {
	From    int  `json:"from"`
	To      int  `json:"to"`
	Runs    int  `json:"runs"`    // that go into a bundle
	Carried int  `json:"carried"` // runs that are not over
	DryRun  bool `json:"dry_run,omitzero"`
	// Problem is why the last one that was asked for was not done.
	Problem string `json:"problem,omitzero"`
}

// PruneRequest removes texts, outputs and recorded trees of runs that were over
// before a moment, and texts that nothing names.
type PruneRequest struct {
	Before time.Time `json:"before"`
	DryRun bool      `json:"dry_run,omitzero"`
}

// PruneView is what was removed, or would be.
type PruneView struct {
	Before  time.Time `json:"before"`
	Runs    int       `json:"runs"` // that had some
	Texts   Room      `json:"texts"`
	Unnamed Room      `json:"unnamed"` // texts that no event names
	Outputs Room      `json:"outputs"`
	Trees   int       `json:"trees"`
	DryRun  bool      `json:"dry_run,omitzero"`
}

// Nothing says that there is nothing to prune.
func (v PruneView) Nothing() bool {
	return v.Texts.Files+v.Unnamed.Files+v.Outputs.Files+v.Trees == 0
}

// EraseRequest removes what a run wrote. Without what a person typed it only
// says what would go.
type EraseRequest struct {
	RunRef
	Typed string `json:"typed,omitzero"` // the handle
	PIN   string `json:"pin,omitzero"`   // instead of that, where one is set
}

// EraseView is what was erased, or would be.
type EraseView struct {
	Run     string `json:"run"` // handle
	ID      string `json:"id"`
	Task    string `json:"task,omitzero"` // cut to one line
	Texts   Room   `json:"texts"`
	Shared  int    `json:"shared"` // texts that other runs name too, and stay
	Outputs Room   `json:"outputs"`
	Trees   int    `json:"trees"`
	Erased  bool   `json:"erased"`
	PIN     bool   `json:"pin,omitzero"` // is asked for, instead of the handle
}

// Nothing says that the run is erased, and nothing is left of it to erase.
func (v EraseView) Nothing() bool {
	return v.Erased && v.Texts.Files+v.Outputs.Files+v.Trees == 0
}

// GoneView is why texts of a run are not there.
type GoneView struct {
	At     time.Time `json:"at"`              // when they were removed
	By     string    `json:"by"`              // actor
	Erased bool      `json:"erased,omitzero"` // as a person asked for that run; else for its age
}

// ExportRequest asks for a bundle. Runs that are live are refused by name and
// left out of a selection.
type ExportRequest struct {
	Runs      []string  `json:"runs,omitzero"`      // as a person names them
	Workspace string    `json:"workspace,omitzero"` // where names are looked for
	Since     time.Time `json:"since,omitzero"`     // runs that ended since; zero is all
	NoTexts   bool      `json:"no_texts,omitzero"`
}

// MaxFound is how many texts with secrets are named.
const MaxFound = 50

// BundleSum is what a bundle holds. An export answers with the bytes of the
// bundle in frames that are no JSON, and this as the last.
type BundleSum struct {
	SHA256   events.Digest `json:"sha256"`
	Bytes    int64         `json:"bytes"`
	Runs     int           `json:"runs"`
	Events   int           `json:"events"`
	Texts    int           `json:"texts"`
	Missing  int           `json:"missing,omitzero"`  // texts that are gone
	Redacted int           `json:"redacted,omitzero"` // texts in which a secret was found, and taken out
	Found    []TextFound   `json:"found,omitzero"`    // the first of those
	Live     int           `json:"live,omitzero"`     // runs left out, as they are not over
}

// TextFound is a text in which a secret was found.
type TextFound struct {
	Run   string     `json:"run"`   // handle
	Seq   uint64     `json:"seq"`   // of the first event that names it
	Ref   events.Ref `json:"ref"`   // by which
	Kinds []string   `json:"kinds"` // "value of NAME", or the kind of key
}

// ExportView is a bundle that was written.
type ExportView struct {
	File string `json:"file"` // "-" is standard output
	BundleSum
}

// ImportRequest takes the history of a bundle in. The file is on this host.
type ImportRequest struct {
	Path   string `json:"path"` // absolute
	DryRun bool   `json:"dry_run,omitzero"`
}

// ImportView is what was imported, or would be.
type ImportView struct {
	Bundle  BundleSum   `json:"bundle"`
	Runs    []BundleRun `json:"runs"`
	Known   int         `json:"known"` // runs that are here already, with the same events
	DryRun  bool        `json:"dry_run,omitzero"`
	Version string      `json:"version"` // that made the bundle
}

// BundleRun is a run of a bundle.
type BundleRun struct {
	ID     string `json:"id"`
	Handle string `json:"handle"`
	State  string `json:"state"`
	Reason string `json:"reason,omitzero"`
	Events int    `json:"events"`
	Known  bool   `json:"known,omitzero"` // is here already
}

// Archive schemas.
const (
	SchemaArchive = "autopilot.archive"
	SchemaRoll    = "autopilot.archive.roll"
	SchemaPrune   = "autopilot.archive.prune"
	SchemaErase   = "autopilot.archive.erase"
	SchemaExport  = "autopilot.archive.export"
	SchemaImport  = "autopilot.archive.import"
)
