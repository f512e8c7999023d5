import { expect, test } from "vitest";
import { type RequestOrigin, createBaseUrl } from "./base-url.ts";

const listening = () => "http://0.0.0.0:8420";
const asked = (headers: RequestOrigin["headers"], remoteAddress = "198.51.100.7"): RequestOrigin => ({
  headers,
  socket: { remoteAddress },
});

test("is how the request reached the server", () => {
  const baseUrlOf = createBaseUrl({ listening });
  for (const host of ["drs.example", "drs.example:8420", "localhost:1", "192.0.2.1", "[2001:db8::1]:8420", "a_b.lan"]) {
    expect(baseUrlOf(asked({ host }))).toBe(`http://${host}`);
    expect(baseUrlOf(asked({ ":authority": host }))).toBe(`http://${host}`);
  }
  expect(baseUrlOf(asked({}))).toBe("http://0.0.0.0:8420");
});

test("rejects a list of hosts in the Host header", () => {
  expect(createBaseUrl({ listening })(asked({ host: "a.example, b.example" }))).toBe("http://0.0.0.0:8420");
});

test("is the public address wherever one is set", () => {
  const baseUrlOf = createBaseUrl({ listening, publicUrl: "https://drs.example/a", trustedProxies: ["198.51.100.7"] });
  expect(baseUrlOf(asked({ host: "other.example", "x-forwarded-host": "third.example" }))).toBe(
    "https://drs.example/a",
  );
});

test.each([
  "user@drs.example",
  "drs.example/path",
  "drs.example?x",
  "drs.example#",
  "drs.example\\",
  "drs.example:port",
  "drs.example:8420:1",
  "a b",
  '"a"',
  "<script>",
  "[::1",
  "[evil.example]",
  "-",
  "",
])("is never made of %j, which is no host", (host) => {
  expect(createBaseUrl({ listening })(asked({ host }))).toBe("http://0.0.0.0:8420");
  const trusting = createBaseUrl({ listening, trustedProxies: ["0.0.0.0/0"] });
  expect(trusting(asked({ host: "drs.example", "x-forwarded-host": host }))).toBe("http://drs.example");
});

const forwarded: [string, RequestOrigin["headers"], string][] = [
  ["X-Forwarded", { "x-forwarded-host": "drs.example", "x-forwarded-proto": "https" }, "https://drs.example"],
  ["the first of several", { "x-forwarded-host": "a.example, b.example" }, "http://a.example"],
  ["the protocol alone", { "x-forwarded-proto": "https" }, "https://inner:8420"],
  ["no protocol but HTTP", { "x-forwarded-proto": "javascript" }, "http://inner:8420"],
  ["Forwarded", { forwarded: 'for=192.0.2.1;proto=https;host="drs.example:8443"' }, "https://drs.example:8443"],
  [
    "Forwarded of several",
    { forwarded: "For=a; Host=a.example;Proto=HTTPS, for=b;host=b.example" },
    "https://a.example",
  ],
  [
    "Forwarded before X-Forwarded",
    { forwarded: "host=a.example", "x-forwarded-host": "b.example", "x-forwarded-proto": "https" },
    "http://a.example",
  ],
];

test.each(forwarded)("a trusted proxy says how the client reached it: %s", (_, headers, expected) => {
  const trustedProxies = ["10.0.0.0/8", "::1"];
  const baseUrlOf = createBaseUrl({ listening, trustedProxies });
  const all = { host: "inner:8420", ...headers };
  for (const proxy of ["10.1.2.3", "::ffff:10.1.2.3", "::1"]) expect(baseUrlOf(asked(all, proxy))).toBe(expected);
  for (const other of ["11.1.2.3", "::2", ""]) expect(baseUrlOf(asked(all, other))).toBe("http://inner:8420");
  expect(createBaseUrl({ listening })(asked(all, "10.1.2.3"))).toBe("http://inner:8420");
});
