package wire

import (
	"time"

	"autopilot/events"
)

// These types are about stored history.

// ArchiveView is where history is, and how much room it takes.
type ArchiveView struct {
	Dir        string       `json:"dir"`
	Generation int          `json:"generation"` // of the log
	Events     uint64       `json:"events"`     // in it
	StoreBytes int64        `json:"store_bytes"`
	StoreQuota int64        `json:"store_quota"`
	Over       int          `json:"over"`    // runs in the log that a roll would put into a bundle
	Carried    int          `json:"carried"` // runs in the log that a roll would carry over
	Texts      Room         `json:"texts"`   // blobs
	Outputs    Room         `json:"outputs"` // folders of effects
	Trees      Room         `json:"trees"`   // recorded trees
	Pruned     time.Time    `json:"pruned,omitzero"`
	Bundles    []BundleView `json:"bundles"` // the oldest first
}

// Room is how much room files take.
type Room struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

// BundleView is a file of history.
type BundleView struct {
	File     string        `json:"file"`
	SHA256   events.Digest `json:"sha256"`
	At       time.Time     `json:"at"` // when it was added here
	Imported bool          `json:"imported,omitzero"`
	Runs     int           `json:"runs"`
	Events   int           `json:"events"`
	Bytes    int64         `json:"bytes"`
	Problem  string        `json:"problem,omitzero"` // why the daemon cannot read it
}

// RollRequest begins a new generation of the log, by a restart of the daemon.
type RollRequest struct {
	DryRun bool `json:"dry_run,omitzero"` // only say what it would do
}

// RollView is the effect of a roll.
type RollView struct {
	From    int  `json:"from"`
	To      int  `json:"to"`
	Runs    int  `json:"runs"`    // runs that go into a bundle
	Carried int  `json:"carried"` // runs that are not over
	DryRun  bool `json:"dry_run,omitzero"`
	// Problem is why the last requested roll failed.
	Problem string `json:"problem,omitzero"`
}

// PruneRequest removes texts, outputs and recorded trees of runs that ended before a
// moment, and unnamed texts.
type PruneRequest struct {
	Before time.Time `json:"before"`
	DryRun bool      `json:"dry_run,omitzero"`
}

// PruneView is what a prune removed, or would remove.
type PruneView struct {
	Before  time.Time `json:"before"`
	Runs    int       `json:"runs"` // runs with anything to remove
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

// EraseRequest removes the texts, outputs and trees of a run. Without the typed handle or
// PIN it only answers what would go.
type EraseRequest struct {
	RunRef
	Typed string `json:"typed,omitzero"` // the handle
	PIN   string `json:"pin,omitzero"`   // in place of typed, where a PIN is set
}

// EraseView is what an erase removed, or would remove.
type EraseView struct {
	Run     string `json:"run"` // handle
	ID      string `json:"id"`
	Task    string `json:"task,omitzero"` // cut to one line
	Texts   Room   `json:"texts"`
	Shared  int    `json:"shared"` // texts that stay, as other runs name them too
	Outputs Room   `json:"outputs"`
	Trees   int    `json:"trees"`
	Erased  bool   `json:"erased"`
	PIN     bool   `json:"pin,omitzero"` // an erase needs the PIN, in place of the handle
}

// Nothing says that the run is erased, with nothing left to erase.
func (v EraseView) Nothing() bool {
	return v.Erased && v.Texts.Files+v.Outputs.Files+v.Trees == 0
}

// GoneView is why texts of a run are missing.
type GoneView struct {
	At     time.Time `json:"at"`              // when the daemon removed them
	By     string    `json:"by"`              // actor
	Erased bool      `json:"erased,omitzero"` // a person erased that run; else by age
}

// ExportRequest asks for a bundle. The daemon refuses live runs by name, and leaves them
// out of a selection.
type ExportRequest struct {
	Runs      []string  `json:"runs,omitzero"`      // names, as a person types them
	Workspace string    `json:"workspace,omitzero"` // directory to look up the names in
	Since     time.Time `json:"since,omitzero"`     // runs that ended since; zero is all
	NoTexts   bool      `json:"no_texts,omitzero"`
}

// MaxFound bounds the list of texts with secrets.
const MaxFound = 50

// BundleSum is the content of a bundle. An export answers with the bytes of the bundle in
// frames that are no JSON, and with this sum as the last frame.
type BundleSum struct {
	SHA256   events.Digest `json:"sha256"`
	Bytes    int64         `json:"bytes"`
	Runs     int           `json:"runs"`
	Events   int           `json:"events"`
	Texts    int           `json:"texts"`
	Missing  int           `json:"missing,omitzero"`  // texts that are gone
	Redacted int           `json:"redacted,omitzero"` // texts with a secret that the export took out
	Found    []TextFound   `json:"found,omitzero"`    // the first of those texts
	Live     int           `json:"live,omitzero"`     // live runs left out
}

// TextFound is a text with a secret in it.
type TextFound struct {
	Run   string     `json:"run"`   // handle
	Seq   uint64     `json:"seq"`   // of the first event that names it
	Ref   events.Ref `json:"ref"`   // ref of the text
	Kinds []string   `json:"kinds"` // "value of NAME", or the kind of key
}

// ExportView is a written bundle.
type ExportView struct {
	File string `json:"file"` // "-" is standard output
	BundleSum
}

// ImportRequest imports the history of a bundle. The file is on this host.
type ImportRequest struct {
	Path   string `json:"path"` // absolute
	DryRun bool   `json:"dry_run,omitzero"`
}

// ImportView is what an import added, or would add.
type ImportView struct {
	Bundle  BundleSum   `json:"bundle"`
	Runs    []BundleRun `json:"runs"`
	Known   int         `json:"known"` // runs that are already here, with the same events
	DryRun  bool        `json:"dry_run,omitzero"`
	Version string      `json:"version"` // version that made the bundle
}

// BundleRun is a run of a bundle.
type BundleRun struct {
	ID     string `json:"id"`
	Handle string `json:"handle"`
	State  string `json:"state"`
	Reason string `json:"reason,omitzero"`
	Events int    `json:"events"`
	Known  bool   `json:"known,omitzero"` // already here
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
