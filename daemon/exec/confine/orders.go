package confine

import (
	"encoding/binary"
	"errors"
	"strconv"
)

// orders are what the stages are told: texts in lists. Every byte stays as it
// is, which JSON would not grant, and a large environment costs next to nothing.
type orders struct {
	plan      Plan
	path, dir string
	argv, env []string
	marker    string
	parent    int  // pid of the supervisor
	mounting  bool // the first stage comes before the second
	group     bool // the program leads a process group
}

var errOrders = errors.New("the orders of the confinement cannot be read")

// texts are all that orders hold, in one order for both ways.
func (o *orders) texts() []*[]string {
	return append(o.plan.Lists(), &o.argv, &o.env)
}

func (o *orders) encode() []byte {
	single := []string{
		o.path, o.dir, o.marker, strconv.Itoa(o.parent),
		strconv.FormatBool(o.plan.Strict), strconv.FormatBool(o.mounting), strconv.FormatBool(o.group), strconv.FormatBool(o.plan.Sealed),
	}
	var b []byte
	var layers []string
	for _, text := range o.plan.layered() {
		layers = append(layers, *text)
	}
	for _, list := range append(o.texts(), &single, &layers) {
		b = binary.AppendUvarint(b, uint64(len(*list)))
		for _, s := range *list {
			b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
		}
	}
	return b
}

func decodeOrders(b []byte) (orders, error) {
	var o orders
	var single, layers []string
	for _, list := range append(o.texts(), &single, &layers) {
		n, rest, ok := number(b)
		for b = rest; ok && n > 0; n-- {
			var size uint64
			if size, b, ok = number(b); !ok || size > uint64(len(b)) {
				return orders{}, errOrders
			}
			*list = append(*list, string(b[:size]))
			b = b[size:]
		}
		if !ok {
			return orders{}, errOrders
		}
	}
	if len(single) != 8 || len(layers)%3 != 0 || len(b) != 0 {
		return orders{}, errOrders
	}
	if len(layers) > 0 {
		o.plan.Layers = make([]Layer, len(layers)/3)
	}
	for i, text := range o.plan.layered() {
		*text = layers[i]
	}
	var errs [5]error
	o.path, o.dir, o.marker = single[0], single[1], single[2]
	o.parent, errs[0] = strconv.Atoi(single[3])
	o.plan.Strict, errs[1] = strconv.ParseBool(single[4])
	o.mounting, errs[2] = strconv.ParseBool(single[5])
	o.group, errs[3] = strconv.ParseBool(single[6])
	o.plan.Sealed, errs[4] = strconv.ParseBool(single[7])
	return o, errors.Join(errs[:]...)
}

func number(b []byte) (n uint64, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 {
		return 0, nil, false
	}
	return n, b[size:], true
}
