package tree

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strconv"

	"autopilot/projections/rule"
)

// indexBytes bounds an index that is read for the marks of its files.
const indexBytes = 64 << 20

// readIndex adds what of the index makes git look away.
func (gd gitDir) readIndex(g rule.GitState, hash int) {
	if _, err := os.Lstat(filepath.Join(gd.dir, "index.lock")); err == nil {
		g[rule.GitFact{Kind: rule.GitIndex, Name: "locked"}] = "1"
	}
	text, err := readRegular(filepath.Join(gd.dir, "index"), indexBytes)
	if err != nil {
		return
	}
	for name, n := range indexMarks(text, hash) {
		if n > 0 && name != unmerged {
			g[rule.GitFact{Kind: rule.GitIndex, Name: name}] = strconv.Itoa(n)
		}
	}
}

// unmerged counts the sides of files in conflict. That is no mark that git was given, but
// what a merge left.
const unmerged = "unmerged"

// indexMarks counts the files of an index that git was told not to look at, or that
// it only intends to add. Of an index that is not understood it knows nothing.
//
// Source: git, Documentation/gitformat-index.
func indexMarks(text []byte, hash int) map[string]int {
	const header, stat = 12, 40
	if len(text) < header || string(text[:4]) != "DIRC" {
		return nil
	}
	version, entries := binary.BigEndian.Uint32(text[4:]), binary.BigEndian.Uint32(text[8:])
	marks := map[string]int{}
	at := header
	for range entries {
		begin, flagsAt := at, at+stat+hash
		if flagsAt+4 > len(text) {
			return marks
		}
		flags := binary.BigEndian.Uint16(text[flagsAt:])
		at = flagsAt + 2
		if flags&0x8000 != 0 {
			marks["assume-unchanged"]++
		}
		if flags&0x3000 != 0 {
			marks[unmerged]++
		}
		if flags&0x4000 != 0 {
			more := binary.BigEndian.Uint16(text[at:])
			at += 2
			if more&0x4000 != 0 {
				marks["skip-worktree"]++
			}
			if more&0x2000 != 0 {
				marks["intent-to-add"]++
			}
		}
		if version == 4 { // how many bytes of the name before are dropped
			for at < len(text) && text[at]&0x80 != 0 {
				at++
			}
			at++
		}
		if at > len(text) {
			return marks
		}
		end := bytes.IndexByte(text[at:], 0)
		if end < 0 {
			return marks
		}
		at += end + 1
		if version < 4 {
			at = begin + (at-1-begin+8)/8*8
		}
	}
	return marks
}
