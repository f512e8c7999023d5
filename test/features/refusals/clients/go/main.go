// Uploads with net/http; see ../../clients.ts for what is asked and answered.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	h1 := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute}}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		asked := strings.Split(lines.Text(), "\t")
		size, _ := strconv.Atoi(asked[3])
		client := h1
		if asked[2] == "h2c" {
			client = h2c
		}
		if client == nil {
			fmt.Println("unsupported: this Go has no HTTP/2 without TLS")
			continue
		}
		request, err := http.NewRequest("POST", asked[0], body(asked[2], size, asked[4]))
		if err != nil {
			panic(err)
		}
		request.Header.Set("x-api-key", asked[1])
		request.Header.Set("content-type", "multipart/form-data; boundary=refused")
		if asked[2] == "expect" {
			request.Header.Set("Expect", "100-continue")
		}
		fmt.Println(answer(client, request))
	}
}

func answer(client *http.Client, request *http.Request) string {
	response, err := client.Do(request)
	if err != nil {
		return "broken " + err.Error()
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return "broken " + err.Error()
	}
	return fmt.Sprint(response.StatusCode, " ", string(text))
}

func body(sending string, size int, fields string) io.Reader {
	var head strings.Builder
	for _, pair := range strings.Split(fields, "&") {
		name, value, _ := strings.Cut(pair, "=")
		fmt.Fprintf(&head, "--refused\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", name, value)
	}
	head.WriteString("--refused\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n%PDF-1.7\n")
	file := make([]byte, size)
	end := "\r\n--refused--\r\n"
	if sending == "chunked" {
		return io.MultiReader(strings.NewReader(head.String()), bytes.NewReader(file), strings.NewReader(end))
	}
	return bytes.NewReader(append(append([]byte(head.String()), file...), end...))
}
