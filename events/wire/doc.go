// Package wire is the protocol between clients and the daemon: verbs, their bodies, reply
// frames and error codes. It does no I/O.
//
// A request is one NATS message on ap.cmd.<C>.<verb>; C is the client's own random name.
// Its payload is the JSON body of the verb. Its headers carry the request id and the
// client's version. A reply is one or more frames on the client's inbox. Each frame has a
// number from 1; the last has a code.
//
// A stream sends at most as many frames as the client gave credit for: 32 at the start,
// more through the verb credit.
package wire

import "time"

// Headers of requests and frames.
const (
	HeaderRequest = "Ap-Request" // ULID of the request; a repeated one gets the first answer
	HeaderVersion = "Ap-Version" // version of the sender
	HeaderFrame   = "Ap-Frame"   // 1, 2, 3 ... within the reply
	HeaderCode    = "Ap-Code"    // on the last frame only
	HeaderMessage = "Ap-Message" // with a code other than ok
	HeaderHint    = "Ap-Hint"    // what to do next
	HeaderWriter  = "Ap-Writer"  // with the code conflict: the work tree's writer, a JSON object
	HeaderCursor  = "Ap-Cursor"  // with the code cursor-expired: the oldest place
)

// Bounds of the protocol.
const (
	MaxFrame      = 256 << 10 // bytes of payload in one frame
	MaxBody       = 64 << 10  // bytes of a request; larger texts go through blob.put first
	InitialCredit = 32        // frames that a stream may send at first
	CreditTimeout = 30 * time.Second
)
