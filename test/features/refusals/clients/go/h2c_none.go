//go:build !go1.24

package main

import "net/http"

var h2c *http.Client
