package stream

import "hash/maphash"

// Repeat is a use of a tool that came again with the same input.
type Repeat struct {
	Tool  string
	Input string // in short
	Count int
}

// maxRepeats bounds how many different uses are remembered. One that came
// seldom makes room, so a count is never too high.
const maxRepeats = 64

// repeats counts equal uses of tools. A use that comes back with another result
// than before is no repetition: something has changed.
type repeats struct {
	seed    maphash.Seed
	keys    [maxRepeats]uint64
	results [maxRepeats]uint64 // the last of each, 0 before it came
	each    [maxRepeats]Repeat
	most    Repeat
	last    uint64 // key of the use before, 0 for one that is like no other
	now     int
	stale   int
}

// count counts a use by its name and the parts of its input, and gives its key.
// Without parts it is like no other.
func (p *repeats) count(name, input string, parts [][]byte) uint64 {
	key := p.keyOf(name, parts)
	if key == 0 || key != p.last {
		p.now = 0
	}
	p.last = key
	p.now++
	if key == 0 {
		p.stale = 0
		return 0
	}
	at := p.slot(key)
	p.stale++
	if p.keys[at] != key {
		p.keys[at], p.each[at], p.results[at] = key, Repeat{Tool: name, Input: input}, 0
		p.stale = 0
	}
	if p.each[at].Count++; p.each[at].Count > p.most.Count {
		p.most = p.each[at]
	}
	return key
}

// back notes the result of a use.
func (p *repeats) back(key uint64, failed bool, parts [][]byte) {
	at := p.slot(key)
	if key == 0 || p.keys[at] != key {
		return
	}
	verdict := []byte("ok")
	if failed {
		verdict = []byte("failed")
	}
	result := p.keyOf("", append([][]byte{verdict}, parts...))
	if before := p.results[at]; before != 0 && before != result {
		p.stale = 0
		if key == p.last {
			p.now = 1
		}
	}
	p.results[at] = result
}

func (p *repeats) keyOf(name string, parts [][]byte) uint64 {
	var h maphash.Hash
	h.SetSeed(p.seed)
	known := false
	_, _ = h.WriteString(name)
	for _, b := range parts {
		_ = h.WriteByte(0)
		_, _ = h.Write(b)
		known = known || len(b) > 0
	}
	if !known {
		return 0
	}
	return max(h.Sum64(), 1)
}

// slot is that of the key, else the one that counts least.
func (p *repeats) slot(key uint64) int {
	least := 0
	for i := range p.keys {
		if p.keys[i] == key {
			return i
		}
		if p.each[i].Count < p.each[least].Count {
			least = i
		}
	}
	return least
}
