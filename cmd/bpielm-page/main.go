//go:build js && wasm

package main

import (
	"context"
	"encoding/json"
	"errors"
	"syscall/js"

	"github.com/bpielm/bpielm"
	"github.com/bpielm/bpielm/cmd/internal/page"
	"github.com/bpielm/bpielm/cmd/internal/page/site"
)

func main() {
	worker := js.Global().Get("bpielm")
	engine := &page.Engine{
		Examples: func() (list []page.Example, err error) {
			data, err := taken(worker, site.List)
			if err == nil {
				err = json.Unmarshal(data, &list)
			}
			return list, err
		},
		Example: func(name string) (files map[string]string, main string, shipped []byte, err error) {
			data, err := taken(worker, site.Problem(name))
			if err != nil {
				return nil, "", nil, err
			}
			var p site.Opened
			if err := json.Unmarshal(data, &p); err != nil {
				return nil, "", nil, err
			}
			shipped, err = taken(worker, site.Answer(name))
			if err != nil {
				shipped = nil // it is solved instead
			}
			return p.Files, p.Main, shipped, nil
		},
	}
	session := engine.Open()
	post := func(message any) {
		data, err := json.Marshal(message)
		if err != nil {
			data, _ = json.Marshal(map[string]any{"failed": err.Error()})
		}
		worker.Call("post", string(data))
	}
	call := js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		request := []byte(arguments[0].String())
		go func() { // a callback must return, or no other message comes in
			var of struct {
				ID int `json:"id"`
			}
			json.Unmarshal(request, &of)
			reply := session.Call(context.Background(), request, func(e page.Event) {
				post(map[string]any{"event": e, "id": of.ID})
			})
			post(map[string]any{"reply": reply})
		}()
		return nil
	})
	worker.Call("ready", bpielm.Version, call)
	select {}
}

// taken returns a file of the site.
func taken(worker js.Value, name string) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	bytes := js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		data := make([]byte, arguments[0].Get("length").Int())
		js.CopyBytesToGo(data, arguments[0])
		done <- result{data, nil}
		return nil
	})
	defer bytes.Release()
	failed := js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		done <- result{nil, errors.New(arguments[0].Get("message").String())}
		return nil
	})
	defer failed.Release()
	worker.Call("take", name).Call("then", bytes, failed)
	r := <-done
	return r.data, r.err
}
