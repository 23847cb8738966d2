// Package price knows what tokens of a model cost, by a dated table that is
// built in and by prices of the user.
//
// It promises that a cost is computed only for a model that the table names, as
// what is not known is not free, and that the sum is exact: integers, rounded
// once, half up. It holds no state that changes and does no I/O. A Table may be
// used from many goroutines.
package price

import (
	_ "embed"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"strings"

	"autopilot/daemon/agent/stream"
	"autopilot/daemon/strictyaml"
	"autopilot/projections/amount"
)

//go:embed prices.yaml
var shipped []byte

// Own is the date of a price that the user has set.
const Own = "own"

// Rate is what a million tokens cost, in millionths of a dollar.
type Rate struct {
	Input, CacheRead, CacheWrite, Output int64
}

// row is the rate of a model and since when it is known.
type row struct {
	rate  Rate
	valid string // date, or Own
}

// Table has rates by model. A key that ends with * is the beginning of ids.
type Table struct{ rows map[string]row }

// entry is one price of the built-in table.
type entry struct {
	Models     []string `yaml:"models"`
	Input      Number   `yaml:"input"`
	CacheRead  Number   `yaml:"cache_read"`
	CacheWrite Number   `yaml:"cache_write"`
	Output     Number   `yaml:"output"`
	Valid      string   `yaml:"valid"`
	Source     string   `yaml:"source"`
}

// Number is dollars per million tokens in a file, in millionths: 0.25 and 3.
type Number int64

// DecodeYAML implements strictyaml.Decoder.
func (n *Number) DecodeYAML(v strictyaml.Value) error {
	if v.Kind() != strictyaml.Number {
		return v.Mismatch("dollars per million tokens, as 3 or 0.25")
	}
	m, err := amount.Micro(v.Plain())
	if err != nil || m > maxRate {
		return v.Errorf("write it as 3 or 0.25", "it is no price in dollars per million tokens")
	}
	*n = Number(m)
	return nil
}

// maxRate bounds a price that is meant: a dollar for one token.
const maxRate = 1e12

// Shipped is the built-in table. That it can be read is proven by a test.
func Shipped() (*Table, error) {
	entries, err := parse(shipped)
	if err != nil {
		return nil, fmt.Errorf("read the table of prices: %w", err)
	}
	t := &Table{rows: map[string]row{}}
	for _, e := range entries {
		r := Rate{Input: int64(e.Input), CacheRead: int64(e.CacheRead), CacheWrite: int64(e.CacheWrite), Output: int64(e.Output)}
		for _, m := range e.Models {
			t.rows[m] = row{r.whole(), e.Valid}
		}
	}
	return t, nil
}

func parse(src []byte) ([]entry, error) {
	doc, err := strictyaml.Parse(src)
	if err != nil {
		return nil, err
	}
	var out []entry
	return out, doc.Decode(&out)
}

// whole takes the price of input for what the cache has none for.
func (r Rate) whole() Rate {
	if r.CacheRead == 0 {
		r.CacheRead = r.Input
	}
	if r.CacheWrite == 0 {
		r.CacheWrite = r.Input
	}
	return r
}

// With is the table with the user's own rates over it. Each says all four.
func (t *Table) With(own map[string]Rate) *Table {
	if len(own) == 0 {
		return t
	}
	out := &Table{rows: maps.Clone(t.rows)}
	for model, r := range own {
		out.rows[strings.ToLower(model)] = row{r, Own}
	}
	return out
}

// Knows says that the cost of a model can be computed.
func (t *Table) Knows(model string) bool {
	_, ok := t.find(model)
	return ok
}

// Compute is what tokens of a model cost, in millionths of a dollar, by the
// price of that date. It is false for a model that is not known.
func (t *Table) Compute(model string, u stream.Usage) (microUSD int64, date string, ok bool) {
	r, ok := t.find(model)
	if !ok {
		return 0, "", false
	}
	return r.rate.cost(u), r.valid, true
}

// cost adds the parts exactly and rounds the sum. What no number can hold is the
// largest one.
func (r Rate) cost(u stream.Usage) int64 {
	var high, low, carry uint64
	for _, p := range [][2]int64{{u.Input, r.Input}, {u.CacheRead, r.CacheRead}, {u.CacheWrite, r.CacheWrite}, {u.Output, r.Output}} {
		h, l := bits.Mul64(uint64(max(p[0], 0)), uint64(p[1]))
		low, carry = bits.Add64(low, l, 0)
		high, _ = bits.Add64(high, h, carry)
	}
	low, carry = bits.Add64(low, million/2, 0)
	if high += carry; high >= million {
		return math.MaxInt64
	}
	sum, _ := bits.Div64(high, low, million)
	return int64(min(sum, math.MaxInt64))
}

const million = 1_000_000

// find is the row of a model: by its whole id, else by the longest beginning.
// The user's own rows go first, as their ids are those of shipped ones.
func (t *Table) find(model string) (row, bool) {
	for _, id := range ids(model) {
		if r, ok := t.rows[id]; ok {
			return r, true
		}
		for n := len(id); n > 0; n-- {
			if r, ok := t.rows[id[:n]+"*"]; ok {
				return r, true
			}
		}
	}
	return row{}, false
}
