package main_test

import (
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats.go"
)

// asksEnv makes this binary another program: a plain NATS client that asks the
// daemon once over TCP, as ADDRESS KEYFILE IDENTITY VERB BODY [ID].
const asksEnv = "AUTOPILOT_ASKS"

// asks prints the code of the answer, what it says of it, and the answer.
func asks() (code int, is bool) {
	if os.Getenv(asksEnv) == "" || len(os.Args) < 6 {
		return 0, false
	}
	address, file, identity, verb, body := os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5]
	m := nats.NewMsg("ap.cmd." + identity + "." + verb)
	m.Data = []byte(body)
	if len(os.Args) > 6 {
		m.Header.Set("Ap-Request", os.Args[6])
	}
	key, err := nats.NkeyOptionFromSeed(file)
	if err != nil {
		fmt.Println(err)
		return 1, true
	}
	nc, err := nats.Connect("nats://"+address, key, nats.CustomInboxPrefix("_INBOX."+identity), nats.NoReconnect())
	if err != nil {
		fmt.Println(err)
		return 1, true
	}
	defer nc.Close()
	r, err := nc.RequestMsg(m, 20*time.Second)
	if err != nil {
		fmt.Println(err)
		return 1, true
	}
	fmt.Println(r.Header.Get("Ap-Code"), r.Header.Get("Ap-Message"))
	fmt.Println(string(r.Data))
	return 0, true
}
