import { expect, test } from "vitest";
import { firstLines } from "./serve.ts";

const started = {
  url: "http://127.0.0.1:8420",
  publicUrl: undefined,
  dataDir: "/srv/drs",
  credentialsPath: "/srv/drs/credentials.json",
  console: "on",
} as const;

test("a program reads the address and nothing else", () => {
  expect(firstLines({ ...started, publicUrl: "https://drs.example.com" }, false)).toEqual([
    "drs listening on http://127.0.0.1:8420",
  ]);
});

test("a person reads where the API, the data and the key are, and how to stop", () => {
  const text = firstLines(started, true).join("\n");
  for (const said of ["http://127.0.0.1:8420/docs", "/srv/drs\n", "/srv/drs/credentials.json", "Ctrl-C"])
    expect(text).toContain(said);
  expect(text).not.toContain("links");
  expect(firstLines({ ...started, publicUrl: "https://drs.example.com" }, true)[1]).toBe(
    "  links    begin with https://drs.example.com",
  );
});

test("a person reads where the console is, if there is one", () => {
  expect(firstLines(started, true)).toContain("  console  http://127.0.0.1:8420; drs open opens it signed in");
  expect(firstLines({ ...started, console: "off" }, true).join("\n")).not.toContain("console");
});

test.each(["http://0.0.0.0:8420", "http://[::]:8420"])(
  "a person reads an address that can be opened, not %s",
  (url) => {
    const text = firstLines({ ...started, url }, true);
    expect(text[0]).toBe(`drs listening on ${url}, which is every address of this machine`);
    expect(text).toContain("  API      http://localhost:8420/docs");
  },
);
