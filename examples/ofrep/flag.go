// Evaluates a flag by OFREP: OFREP_URL=… OFREP_TOKEN=… go run flag.go KEY [TARGETING_KEY]
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"
)

// flag returns the value of a flag as JSON, or the reason why there is none.
func flag(key string, context map[string]any) (json.RawMessage, error) {
	body, _ := json.Marshal(map[string]any{"context": context})
	address := os.Getenv("OFREP_URL") + "/ofrep/v1/evaluate/flags/" + url.PathEscape(key)
	request, err := http.NewRequest(http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("OFREP_TOKEN"))
	request.Header.Set("Content-Type", "application/json")
	response, err := (&http.Client{Timeout: 5 * time.Second}).Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var answer struct {
		Value        json.RawMessage
		ErrorDetails string
	}
	err = json.NewDecoder(response.Body).Decode(&answer)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%d %s", response.StatusCode, answer.ErrorDetails)
	}
	return answer.Value, err
}

func main() {
	context := map[string]any{}
	if len(os.Args) > 2 {
		context["targetingKey"] = os.Args[2]
	}
	value, err := flag(os.Args[1], context)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		value = json.RawMessage(`"fallback"`)
	}
	fmt.Println(string(value))
}
