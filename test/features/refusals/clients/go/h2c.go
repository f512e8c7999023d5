//go:build go1.24

package main

import "net/http"

var h2c = &http.Client{Transport: &http.Transport{Protocols: unencryptedHTTP2()}}

func unencryptedHTTP2() *http.Protocols {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	return protocols
}
