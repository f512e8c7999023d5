import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Frame, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { beginSession } from "../service/session.ts";
import { inBrowser, startConsole, type TestConsole } from "../console/browser.ts";

/** Runs where a text becomes part of a page, an attribute, an address or a script. */
const script = `"'><img src=x onerror=pwned=1><svg/onload=pwned=1></title></script><script>pwned=1</script>\${pwned=1}{{pwned=1}}`;
/** The same without slashes, before which names are cut off. */
const name = `lanterns "'><img src=x onerror=pwned=1>\${pwned=1}.pdf`;
/** An address that is a script. */
const address = "javascript:pwned=1//";

let drs: TestConsole;
let datasetId: string;
let webhookId: string;
beforeAll(async () => {
  drs = await startConsole();
  const { admin } = drs;
  const words = { text: `Lanterns ${script} lanterns ${address}`, fontSize: 8 };
  const job = await admin.datasets.upload(new Blob([makePdf({ pages: [words, words] })]), {
    fileName: name,
    vectorize: true,
    metadata: { [script.slice(0, 60)]: script, link: address, list: [script, address] },
  });
  for await (const { status } of admin.jobs.watch(job.id)) expect(status).not.toBe("ERROR");
  ({ datasetId } = job);
  await admin.datasets.upload(new Blob(["%PDF-1.7 broken"]), { fileName: `broken ${name}` }).catch(() => undefined);
  await admin.keys.create({ name: script.slice(0, 128), filter: { [script.slice(0, 60)]: script } });
  await admin.members.invite({ name: script.slice(0, 128), role: "viewer" });
  ({ id: webhookId } = await admin.webhooks.create({ url: `https://hooks.example/${encodeURIComponent(script)}` }));
  await fetch(`${drs.url}/v1/sessions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-drs-console": "1", "user-agent": `Mozilla/5.0 ${script}` },
    body: JSON.stringify({ credential: drs.server.credentials.apiKey }),
  });
}, 120_000);
afterAll(() => drs.close());

/** Nothing of what is shown has run, been made an element or an address that is a script. */
async function expectNothingRan(page: Page | Frame, where: string): Promise<void> {
  const found = await page.evaluate<object>(`({
    ran: typeof pwned,
    made: document.querySelectorAll("img[onerror], svg[onload], body script:not([src])").length,
    scripts: [...document.querySelectorAll("[href], [src], [action]")]
      .flatMap((element) => [element.href, element.src].map(String))
      .filter((text) => /^javascript:/i.test(text)),
  })`);
  expect({ where, ...found }).toEqual({ where, ran: "undefined", made: 0, scripts: [] });
}

inBrowser(
  "names, metadata, words of pages and everything else that others choose is text in every view",
  async () => {
    const page = await drs.open("/");
    const question = encodeURIComponent(`lanterns ${script}`);
    for (const [path, shown] of [
      ["/documents", "lanterns"],
      [`/documents/${datasetId}`, "onerror"],
      [`/documents/${datasetId}/pages/1`, "onerror"],
      [`/search?q=${question}`, "onerror"],
      [`/search?q=lanterns&where=${encodeURIComponent(`link=${script}`)}`, "onerror"],
      [`/search?q=lanterns&dataset=${encodeURIComponent(script)}`, ""],
      [`/search?like=${encodeURIComponent(script)}`, ""],
      [`/documents/${encodeURIComponent(script)}`, ""],
      [`/documents/..%2F..%2Fv1%2Fme/pages/1`, ""],
      [`/?error=${encodeURIComponent(script)}`, ""],
      [`/account?error=${encodeURIComponent(script)}`, "Mozilla"],
      ["/admin/keys", "onerror"],
      ["/admin/members", "onerror"],
      ["/admin/workspaces", ""],
      ["/admin/webhooks", "hooks.example"],
      [`/admin/webhooks/${webhookId}`, "hooks.example"],
      ["/admin/audit", "onerror"],
      ["/account?error=__proto__", "Mozilla"],
      ["/search?q=lanterns&where=__proto__%3D1&ext=__proto__", ""],
      ["/#code=%", ""],
      [`/#code=${encodeURIComponent(script)}`, ""],
      [`/join#${script}`, ""],
      [`/device?code=${encodeURIComponent(script)}`, ""],
    ] as const) {
      await page.goto(`${drs.url}/healthz`);
      await page.goto(`${drs.url}${path}`);
      await page.getByRole("heading").or(page.getByRole("alert")).first().waitFor();
      await expect.poll(() => page.locator(".skeleton").count(), { timeout: 60_000 }).toBe(0);
      if (shown !== "") await expect.poll(() => page.content(), { message: path, timeout: 20_000 }).toContain(shown);
      await expectNothingRan(page, path);
    }
  },
  300_000,
);

inBrowser("what an address says of a sign-in that failed is one of the console's own texts", async () => {
  const page = await drs.open("/", { credential: null });
  for (const code of [script, "__proto__", "constructor", "toString", ""]) {
    await page.goto(`${drs.url}/?error=${encodeURIComponent(code)}`);
    await page.getByRole("alert").getByText("The provider did not sign you in").waitFor();
    await expectNothingRan(page, code);
  }
});

inBrowser("what the browser keeps for the console runs nothing, whatever is written there", async () => {
  const page = await drs.open("/");
  await page.getByRole("heading", { name: "What are you looking for?" }).waitFor();
  for (const kept of ["theme", "language", "workspace", "searches"]) {
    const { workspaceId, keyId, memberId } = await drs.admin.me();
    const owner = `${workspaceId} ${memberId ?? keyId ?? ""}`;
    const searches = JSON.stringify([{ owner, words: script, address }, { owner, words: 5 }, null]);
    for (const value of kept === "searches" ? [searches, "{"] : [script, "__proto__"]) {
      await page.evaluate(`localStorage.setItem(${JSON.stringify(`drs.${kept}`)}, ${JSON.stringify(value)})`);
      await page.reload();
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      await expectNothingRan(page, `${kept}: ${value}`);
    }
    await page.evaluate(`localStorage.removeItem(${JSON.stringify(`drs.${kept}`)})`);
  }
});

inBrowser(
  "a page of another site frames nothing, reads nothing, and does nothing with the visitor's session",
  async () => {
    const page = await drs.open("/account");
    await page.getByText("This browser").waitFor();
    const before = await drs.admin.sessions.list();
    // The same machine by another name: another site to the browser, like any in the world.
    const { port } = new URL(drs.url);
    const site = createServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<iframe id=console src="${drs.url}/account"></iframe><form id=form method=post enctype="text/plain"
      action="${drs.url}/v1/me/sign-out"><input name='{"a":"' value='"}'></form><body>`);
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const evil = `http://localhost:${(site.address() as AddressInfo).port}`;
    const context = page.context();
    const visited = await context.newPage();
    try {
      await visited.goto(evil);
      const framed = visited.frames().find((frame) => frame !== visited.mainFrame());
      await expect.poll(() => framed?.url()).toMatch(/^chrome-error:/);
      const asked = await visited.evaluate<unknown[]>(`Promise.all([
      ["GET", "/v1/me", {}], ["GET", "/v1/datasets", {}], ["GET", "/account", {}],
      ["GET", "/v1/me", { "x-drs-console": "1" }],
      ["POST", "/v1/me/sign-out", { "content-type": "text/plain" }],
      ["POST", "/mcp", { "content-type": "text/plain" }],
    ].map(([method, path, headers]) =>
      fetch("http://127.0.0.1:${port}" + path, { method, headers, credentials: "include" })
        .then((response) => response.text()).catch(() => "refused")))`);
      expect(asked).toEqual(Array(6).fill("refused"));
      await visited.evaluate(`document.getElementById("form").submit()`);
      await visited.waitForURL(/sign-out/);
      const opened = await context.newPage();
      await opened.goto(evil);
      await opened.evaluate(`void (globalThis.other = window.open("${drs.url}/account"))`);
      await expect.poll(() => opened.evaluate("other.closed")).toBe(true);
    } finally {
      await new Promise((resolve) => site.close(resolve).closeAllConnections());
    }
    await page.reload();
    await page.getByText("This browser").waitFor();
    expect((await drs.admin.sessions.list()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  },
);

inBrowser("after signing out nothing is left: not by going back, not in the browser's caches", async () => {
  const { key: apiKey } = await drs.admin.keys.create({ name: "leaves", scopes: ["read", "search"] });
  const page = await drs.open(`/documents/${datasetId}`, { credential: null });
  await page.getByLabel("Personal token or API key").fill(apiKey);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1 }).getByText("lanterns").waitFor();
  await page.getByRole("link", { name: "Documents", exact: true }).click();
  await page.getByRole("button", { name: "Account and settings" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Personal token or API key").waitFor();
  for (const _ of [1, 2]) {
    await page.goBack();
    await page.getByLabel("Personal token or API key").waitFor();
    expect(await page.content()).not.toContain("lanterns");
  }
  const kept = await page.evaluate<string>(
    `caches.keys().then((names) => JSON.stringify([names, { ...localStorage }, { ...sessionStorage }]))`,
  );
  expect(kept).not.toContain("lanterns");
  expect(kept).not.toContain(apiKey);
});

inBrowser("answers are kept by no cache, and the session of one browser shows nothing to the next", async () => {
  const session = await beginSession(drs.url, drs.server.credentials.apiKey);
  for (const path of ["/v1/me", "/v1/datasets", `/v1/datasets/${datasetId}`, "/v1/sessions", "/v1/nothing"]) {
    const { headers } = await fetch(`${drs.url}${path}`, { headers: session });
    expect([path, headers.get("cache-control")]).toEqual([path, "no-store"]);
  }
});
