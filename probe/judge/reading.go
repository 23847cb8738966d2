package judge

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"autopilot/events"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Num is a measured number that may be unknown. The zero value is unknown.
// Negative and non-finite numbers are none.
type Num struct {
	v       float64
	known   bool
	invalid bool
}

// Known makes a number; one that cannot have been measured is invalid.
func Known(v float64) Num {
	if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return Num{invalid: true}
	}
	return Num{v: v, known: true}
}

// Get returns the number, and whether it is known.
func (n Num) Get() (v float64, ok bool) { return n.v, n.known }

// IsZero leaves what was never looked at out of JSON.
func (n Num) IsZero() bool { return n == Num{} }

// MarshalJSONTo writes null for what is not known.
func (n Num) MarshalJSONTo(e *jsontext.Encoder) error {
	if !n.known {
		return e.WriteToken(jsontext.Null)
	}
	return json.MarshalEncode(e, n.v)
}

// UnmarshalJSONFrom takes a number, and anything else for unknown: texts and
// booleans are not coerced (Q20).
func (n *Num) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	kind := d.PeekKind()
	raw, err := d.ReadValue()
	if err != nil {
		return fmt.Errorf("read a number: %w", err)
	}
	*n = Num{invalid: kind != 'n'}
	if kind == '0' {
		var v float64
		if json.Unmarshal(raw, &v) == nil {
			*n = Known(v)
		}
	}
	return nil
}

// Reading is one look at the machine. Sizes are bytes, shares are percent, and
// what could not be read is unknown.
type Reading struct {
	Time   time.Time `json:"time"`
	TookUS int64     `json:"took_us"`

	Cores       Num `json:"cores"` // that the container may use, may be a fraction
	Load1       Num `json:"load1"` // runnable tasks of the host, averaged over 1 minute
	Load5       Num `json:"load5"`
	BusyPercent Num `json:"busy_percent,omitzero"` // of all cores, since the reading before

	MemoryTotal       Num `json:"memory_total_bytes"` // of the container, where it is less than the host's
	MemoryAvailable   Num `json:"memory_available_bytes"`
	MemoryFree        Num `json:"memory_free_bytes"`            // only where nothing better is known
	MemoryFreePercent Num `json:"memory_free_percent,omitzero"` // as macOS tells its memory pressure
	SwapUsed          Num `json:"swap_used_bytes"`

	StallCPU        Num `json:"stall_cpu_percent,omitzero"` // PSI: some, 10 s
	StallMemory     Num `json:"stall_memory_percent,omitzero"`
	StallMemoryFull Num `json:"stall_memory_full_percent,omitzero"` // PSI: full, 10 s
	StallIOFull     Num `json:"stall_io_full_percent,omitzero"`

	OpenFiles      Num `json:"open_files,omitzero"` // of the host
	OpenFilesLimit Num `json:"open_files_limit,omitzero"`
	DiskStore      Num `json:"disk_store_free_bytes,omitzero"`
	DiskWork       Num `json:"disk_work_free_bytes,omitzero"` // of the fullest disk that holds a workspace

	Peers    Num    `json:"peers,omitzero"`  // other sessions with a heartbeat
	Agents   Num    `json:"agents,omitzero"` // process trees of agent programs, whoever started them
	RunTrees []Tree `json:"runs,omitzero"`
}

// Tree is the processes of one run.
type Tree struct {
	Run       string `json:"run"`
	Processes int    `json:"processes"`
	RSS       Num    `json:"rss_bytes"`
}

// Invalid names the values that were given and cannot have been measured.
func (r Reading) Invalid() []string { return r.names(func(n Num) bool { return n.invalid }) }

// Unknown names the values that are not known.
func (r Reading) Unknown() []string { return r.names(func(n Num) bool { return !n.known }) }

func (r Reading) names(has func(Num) bool) []string {
	var out []string
	v := reflect.ValueOf(r)
	for i := range v.NumField() {
		if n, ok := v.Field(i).Interface().(Num); ok && has(n) {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Decode reads one reading, as `apctl probe --json` writes it. Unknown members
// are taken, a value of a wrong type is unknown.
func Decode(b []byte) (Reading, error) {
	var r Reading
	if err := json.Unmarshal(b, &r); err != nil {
		return r, errors.New(events.JSONMistake(err))
	}
	return r, nil
}
