package redact

// class is a set of bytes.
type class [256]bool

func classOf(ranges ...string) *class {
	var c class
	for _, r := range ranges {
		for b := int(r[0]); b <= int(r[len(r)-1]); b++ {
			c[b] = true
		}
	}
	return &c
}

func (c class) and(bytes string) *class {
	for i := range len(bytes) {
		c[bytes[i]] = true
	}
	return &c
}

var (
	upper   = classOf("AZ")
	lower   = classOf("az")
	digit   = classOf("09")
	capital = classOf("AZ", "09") // of a word in capitals
	alnum   = classOf("AZ", "az", "09")
	word    = alnum.and("_-")
	opaque  = alnum.and("._~+/=-") // of a token in a header
	escaped = word.and(".")        // of a signed token
	// body is what the lines of an armored key are made of, also as they are
	// escaped, indented or part of a diff; headed has its header lines too.
	body   = word.and("+/= \t\r\n\\>|")
	headed = body.and(":,.()")
)

// mixed says that two of the kinds of bytes are there: what is made at random
// has both, and a placeholder of the kind your-key-here has not.
func mixed(b []byte) bool {
	kinds := 0
	for _, c := range []*class{upper, lower, digit} {
		for _, x := range b {
			if c[x] {
				kinds++
				break
			}
		}
	}
	return kinds > 1
}
