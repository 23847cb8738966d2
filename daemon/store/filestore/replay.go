package filestore

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
)

// Record is a message as the server keeps it.
type Record struct {
	Position uint64
	Subject  string
	Message  []byte // valid during the call that it is given to
}

// Stream is the stream that a mark file marks, empty before the first event.
func Stream(mark string) (string, error) {
	m, err := readMark(mark)
	return m.Stream, err
}

// Replay does what a deep Check does and reads at the same time: work gets the
// records of each block, several blocks at once, and take what it made of them,
// in their order.
//
// It is several times as quick as a consumer of the server, as both cores decode
// and nothing is sent; and what it reads is proven by the same pass.
func Replay[T any](streams, mark, boot string, work func([]Record) T, take func(T) error) error {
	m, err := readMark(mark)
	if err != nil || m.Stream == "" {
		return err // or nothing was acknowledged yet
	}
	blocks, err := blockFiles(streams, m.Stream)
	if err != nil {
		return err
	}
	return scan(m.after(boot), blocks, nil, func(b block) T { return work(b.records) }, take)
}

// block is what one file holds.
type block struct {
	walker
	file    string
	records []Record
	sound   int    // bytes
	what    string // is wrong behind them
	err     error
}

// scan walks every record of all blocks, several blocks at once. A record that
// is not sound is no damage if all that was acknowledged comes before it and
// nothing comes behind: that is how a write ends that was cut off. Without take
// no records are kept, and with wants those of these subjects.
func scan[T any](m state, files []string, wants func(subject []byte) bool, work func(block) T, take func(T) error) error {
	type walked struct {
		block
		made T
	}
	results := make([]chan walked, len(files))
	for i := range results {
		results[i] = make(chan walked, 1)
	}
	workers := runtime.GOMAXPROCS(0)
	ahead := make(chan struct{}, workers+1) // bounds what is walked and not taken yet
	next, gone := make(chan int), make(chan struct{})
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(gone)
	wg.Go(func() {
		defer close(next)
		for i := range files {
			select {
			case ahead <- struct{}{}:
			case <-gone:
				return
			}
			next <- i
		}
	})
	for range workers {
		wg.Go(func() {
			var buf []byte
			for i := range next {
				var b block
				b, buf = walkFile(m.Stream, files[i], buf, take != nil, wants)
				results[i] <- walked{b, work(b)}
			}
		})
	}
	var last uint64
	for i := range files {
		r := <-results[i]
		<-ahead
		if err := m.follows(r.block, &last, i == len(files)-1); err != nil {
			return err
		}
		if take != nil {
			if err := take(r.made); err != nil {
				return err
			}
		}
	}
	if last < m.Last {
		return &DamagedError{From: last + 1, Marked: m.Last, What: "its end is missing"}
	}
	return nil
}

// follows proves that a block goes on behind the position last, and moves it.
func (m state) follows(b block, last *uint64, final bool) error {
	if b.err != nil {
		return fmt.Errorf("read the event store: %w", b.err)
	}
	if b.first != 0 && b.first != *last+1 {
		b.sound, b.what, b.last = b.begin, outOfOrder(b.first, *last+1), 0
		final = final && *last >= m.Last
	}
	*last = max(*last, b.last)
	if b.what == "" || *last >= m.Last && final {
		return nil
	}
	return &DamagedError{File: b.file, Offset: int64(b.sound), From: *last + 1, Marked: max(m.Last, *last+1), What: b.what}
}

// walkFile walks one file. It reads into buf, or into a larger one that it gives
// back.
func walkFile(stream, path string, buf []byte, keep bool, wants func([]byte) bool) (block, []byte) {
	b := block{file: path, walker: walker{hash: blockHash(stream, path), wants: wants}}
	if keep {
		b.each = func(r Record) { b.records = append(b.records, r) }
	}
	buf, b.err = readInto(path, buf)
	if b.err == nil {
		b.sound, b.what = b.walk(buf)
	}
	b.each = nil
	return b, buf
}

func readInto(path string, buf []byte) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return buf, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return buf, err
	}
	if n := int(info.Size()); cap(buf) < n {
		buf = make([]byte, n)
	} else {
		buf = buf[:n]
	}
	_, err = io.ReadFull(f, buf)
	return buf, err
}

// message is the record at the beginning of sound bytes.
func message(b []byte, seq uint64) Record {
	subject := int(binary.LittleEndian.Uint16(b[20:]))
	body := b[headBytes+subject : len(b)-sumBytes]
	if binary.LittleEndian.Uint32(b)&hasHeader != 0 {
		body = body[min(4+int(binary.LittleEndian.Uint32(body)), len(body)):]
	}
	return Record{Position: seq, Subject: string(b[headBytes : headBytes+subject]), Message: body}
}

// ReplayTo does what Replay does up to a position, which must be there. With
// open a server may be writing behind it, and what is there does not count.
func ReplayTo[T any](streams string, to Position, open bool, work func([]Record) T, take func(T) error) error {
	blocks, err := blockFiles(streams, to.Stream)
	if err != nil {
		return err
	}
	return scan(state{Position: to}, blocks, nil, func(b block) T {
		n := len(b.records)
		for open && n > 0 && b.records[n-1].Position > to.Last {
			n--
		}
		return work(b.records[:n])
	}, take)
}
