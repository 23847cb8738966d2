package wire

import (
	"strings"
	"unicode/utf8"

	"autopilot/events"
)

// RedRow names a test commit that the agent saw fail, in the member red of a result file
// or delivery. The daemon compares it with the history; the row itself proves nothing.
//
// Source: atdd-kit, seeds 3.5 record_red_evidence.
type RedRow struct {
	Gate   string `json:"gate,omitzero"`     // of kind red; empty is each such gate of the phase
	Commit string `json:"commit"`            // of the tests
	Impl   string `json:"impl_sha,omitzero"` // of the later implementation
	File   string `json:"at_file"`           // a test that failed
}

// MostRedRows bounds the rows of one delivery.
const MostRedRows = 20

// ReadRedRows reads the rows strictly, as ReadExactly does.
func ReadRedRows(b []byte) ([]RedRow, *Error) {
	var rows []RedRow
	if err := ReadExactly(b, &rows); err != nil {
		return nil, err
	}
	if err := CheckRedRows(rows); err != nil {
		return nil, err
	}
	return rows, nil
}

// CheckRedRows refuses all rows if one is malformed.
func CheckRedRows(rows []RedRow) *Error {
	if len(rows) > MostRedRows {
		return Errorf(Usage, "there are %d rows in red; the limit is %d", len(rows), MostRedRows)
	}
	for i, r := range rows {
		switch {
		case !safeCommit(r.Commit):
			return Errorf(Usage, "commit of row %d in red is %.80q; write the whole id of a commit", i+1, r.Commit).WithHint("git rev-parse COMMIT   prints it")
		case r.Impl != "" && !safeCommit(r.Impl):
			return Errorf(Usage, "impl_sha of row %d in red is %.80q; write the whole id of a commit, or leave it out", i+1, r.Impl)
		case strings.TrimSpace(r.File) == "":
			return Errorf(Usage, "row %d in red has no at_file", i+1).WithHint("name a test that failed")
		case len(r.File) > maxRefBytes || strings.ContainsRune(r.File, 0) || !utf8.ValidString(r.File):
			return Errorf(Usage, "at_file of row %d in red cannot name a file", i+1)
		case r.Gate != "" && !events.Name(r.Gate).Valid():
			return Errorf(Usage, "gate of row %d in red is %.80q, which is not a valid name", i+1, r.Gate)
		}
	}
	return nil
}

const (
	maxCommit    = 64
	commitLetter = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-"
)

// safeCommit says that a text has only letters, digits and . _ : -
func safeCommit(s string) bool {
	return s != "" && len(s) <= maxCommit && strings.Trim(s, commitLetter) == "" && s[0] != '-'
}
