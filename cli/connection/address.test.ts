import { expect, test } from "vitest";
import { meansServer, serverAddress } from "./address.ts";

test.each([
  ["localhost:8420", "http://localhost:8420"],
  ["127.0.0.1:8420/", "http://127.0.0.1:8420"],
  ["[::1]:8420", "http://[::1]:8420"],
  ["https://drs.example.com/", "https://drs.example.com"],
])("%s is the address %s", (typed, address) => {
  expect(serverAddress(typed)).toBe(address);
});

test.each([
  "drs.example.com",
  "drs.example.com:8420",
  "10.0.0.1:8420",
  "localhost.example",
  "user@10.0.0.1",
  "ftp://localhost",
  "",
])("%s is refused: a key must not go without TLS by mistake", (typed) => {
  expect(() => serverAddress(typed)).toThrow(/./);
});

test.each([
  ["http://127.0.0.1:8420", "http://127.0.0.1:8420/", true],
  ["http://localhost:8420", "http://127.0.0.1:8420", true],
  ["http://localhost:8420", "http://[::1]:8420", true],
  ["http://localhost:8420", "http://0.0.0.0:8420", true],
  ["http://127.0.0.2:8420", "http://0.0.0.0:8420", true],
  ["http://[::1]:8420", "http://[::]:8420", true],
  ["http://[::1]:8420", "http://127.0.0.1:8420", false],
  ["http://[::1]:8420", "http://0.0.0.0:8420", false],
  ["http://127.0.0.2:8420", "http://127.0.0.1:8420", false],
  ["http://localhost:8421", "http://127.0.0.1:8420", false],
  ["https://localhost:8420", "http://127.0.0.1:8420", false],
  ["http://localhost:8420", "http://192.168.1.5:8420", false],
  ["http://localhost.example:8420", "http://127.0.0.1:8420", false],
])("%s means the server at %s: %s", (typed, listening, expected) => {
  expect(meansServer(typed, listening)).toBe(expected);
});
