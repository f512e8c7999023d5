import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Fixture, startFixture } from "../testing/transport.ts";
import type { ConsoleFile } from "./console.ts";

const file = (name: string, text: string): ConsoleFile => ({
  name,
  bytes: Buffer.from(text),
  gzip: Buffer.from(`gzip ${text}`),
  brotli: Buffer.from(`br ${text}`),
});
const files = [file("index.html", '<base href="BASE">'), file("main-1.js", "script"), file("console-1.css", "style")];

let fixture: Fixture;
let below: Fixture;
beforeAll(async () => {
  const options = { console: async () => files };
  fixture = await startFixture(options);
  below = await startFixture({ ...options, publicUrl: "https://example.org/drs" });
});
afterAll(async () => {
  await fixture.transport.close(0);
  await below.transport.close(0);
});

test.each(["/", "/search", "/documents/ds_1/pages/2", "/admin/keys", "/account", "/device", "/join", "/upload"])(
  "%s is the page, with a policy that runs nothing but its own",
  async (path) => {
    const answer = await fetch(`${fixture.url}${path}?q=1`);
    expect(await answer.text()).toBe('<base href="/">');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain("unsafe");
  },
);

test("below a path of a proxy the page names the base of all other files", async () => {
  expect(await (await fetch(`${below.url}/search`)).text()).toBe('<base href="/drs/">');
});

test.each([
  ["br, gzip", "br", "br script"],
  ["gzip, br;q=0", "gzip", "gzip script"],
  ["identity", null, "script"],
])("files come as the browser takes them: %s", async (accepted, encoding, text) => {
  const asked = request(`${fixture.url}/console/main-1.js`, { headers: { "accept-encoding": accepted } }).end();
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  expect(Buffer.concat(await answer.toArray()).toString()).toBe(text);
  expect(answer.headers["content-encoding"] ?? null).toBe(encoding);
  expect(answer.headers["cache-control"]).toContain("immutable");
  expect(answer.headers["vary"]).toBe("accept-encoding");
});

test("a file that the browser already has is not sent again", async () => {
  const etag = (await fetch(fixture.url)).headers.get("etag") ?? "";
  const again = await fetch(fixture.url, { headers: { "if-none-match": etag } });
  expect([again.status, await again.text()]).toEqual([304, ""]);
});

test("a file that the console does not have is not found, nor is its page by file name", async () => {
  for (const name of ["main-2.js", "index.html", "..%2fpackage.json", ""]) {
    expect((await fetch(`${fixture.url}/console/${name}`)).status).toBe(404);
  }
  expect((await fetch(fixture.url, { method: "POST" })).status).toBe(405);
});
