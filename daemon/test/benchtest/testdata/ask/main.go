// Command ask is the least that a NATS program does to ask the daemon for a
// run: connect to the socket, one request, print the answer.
package main

import (
	"crypto/rand"
	"net"
	"os"
	"time"

	"github.com/nats-io/nats.go"
)

type unix string

func (u unix) Dial(string, string) (net.Conn, error) { return net.Dial("unix", string(u)) }

func main() {
	socket, run := os.Args[1], os.Args[2]
	name := make([]byte, 26)
	_, _ = rand.Read(name)
	for i, b := range name {
		name[i] = "abcdefghijklmnopqrstuvwxyz234567"[b&31]
	}
	c := string(name)
	nc, err := nats.Connect("nats://127.0.0.1", nats.SetCustomDialer(unix(socket)), nats.Name(c), nats.CustomInboxPrefix("_INBOX."+c))
	if err != nil {
		panic(err)
	}
	m, err := nc.RequestMsg(&nats.Msg{
		Subject: "ap.cmd." + c + ".run.get", Data: []byte(`{"run":"` + run + `"}`), Header: nats.Header{"Ap-Request": {c}},
	}, 10*time.Second)
	if err != nil || m.Header.Get("Ap-Code") != "ok" {
		panic(err)
	}
	_, _ = os.Stdout.Write(m.Data)
}
