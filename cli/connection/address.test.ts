import { expect, test } from "vitest";
import { meansServer } from "./address.ts";

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
