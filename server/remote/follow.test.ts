import { expect, test } from "vitest";
import { createAllowedAddresses } from "./allowed-addresses.ts";
import { nextAddress } from "./follow.ts";

const allowed = createAllowedAddresses([]);
const next = (from: string, location: string): string => nextAddress(new URL(from), location, allowed).href;

test.each([
  ["https://example.org/a/b", "https://example.com/c", "https://example.com/c"],
  ["https://example.org/a/b?x=1", "/c", "https://example.org/c"],
  ["https://example.org/a/b", "c?y=2", "https://example.org/a/c?y=2"],
  ["https://example.org/a", "//example.com/b", "https://example.com/b"],
  ["http://example.org/a", "https://example.org/a", "https://example.org/a"],
])("from %s a redirect to %s leads to %s", (from, location, to) => {
  expect(next(from, location)).toBe(to);
});

test("a redirect from https to http is refused", () => {
  expect(() => next("https://example.org/a?token=1", "http://example.org/a?token=1")).toThrow(
    /^example\.org redirects from https to http/,
  );
});

test.each(["//127.0.0.1/", "http://user:pass@example.org/", "ftp://example.org/"])("%s is not followed", (location) => {
  expect(() => next("http://example.org/", location)).toThrow(expect.objectContaining({ kind: "invalid" }));
});
