package wire

// CreditRequest lets a reply go on, or ends it. It has no answer.
type CreditRequest struct {
	Request string `json:"request"`         // Ap-Request of the reply
	Frames  int    `json:"frames,omitzero"` // further frames that the client has room for
	End     bool   `json:"end,omitzero"`    // the client wants no more frames
}

// MaxBlob is the longest text that blob.put takes, in bytes.
const MaxBlob = 16 << 20

// BlobChunk is one piece of a text on its way to the blob store. The pieces of an upload
// come in order. The answer to the last one is a BlobReply; the answers to the others are
// empty.
type BlobChunk struct {
	Upload string `json:"upload"` // chosen by the client, unique within its connection
	Offset int64  `json:"offset"`
	Data   []byte `json:"data"` // base64 in JSON
	Last   bool   `json:"last,omitzero"`
}

// MaxChunk is the most data of a BlobChunk that fits in a body.
const MaxChunk = 45 << 10
