import { createDrs, type Drs } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { file, type FileServer, stalled, startFileServer } from "../fixtures/file-server.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

const document = makePdf({ pages: [{ text: "Octopuses have three hearts." }] });
const soon = { timeout: 30_000 };

/** Addresses that never come to an end, named by an organisation that wants the others to wait. */
describe("a tarpit", { timeout: 120_000 }, () => {
  let files: FileServer;
  let server: TestServer;
  let attackers: readonly Drs[];
  let other: Drs;

  beforeAll(async () => {
    files = await startFileServer({
      "/document.pdf": file(document),
      "/stalled.pdf": stalled(document),
      "/silent": () => undefined,
      "/well": (response) => void response.end(),
    });
    server = await startServer({ urlAllow: "127.0.0.1", workers: "1", webhookTimeoutMs: "30000" });
    const connect = (apiKey: string): Drs => createDrs({ server: server.url, apiKey });
    const operator = connect(server.credentials.apiKey);
    const attacker = connect((await operator.organisations.create({ name: "Tar" })).apiKey);
    other = connect((await operator.organisations.create({ name: "Well" })).apiKey);
    const names = ["one", "two", "three", "four", "five"];
    for (const name of names) await attacker.workspaces.create(name);
    const keys = await Promise.all(
      names.map((workspace) => attacker.keys.create({ workspace, scopes: ["read", "write", "admin"] })),
    );
    attackers = keys.map(({ key }) => connect(key));
  }, 60_000);
  afterAll(async () => {
    await server.remove();
    await files.close();
  });

  test("of many documents keeps neither another's upload nor another's address waiting", async () => {
    const url = `${files.url}/stalled.pdf`;
    const jobs = await Promise.all(
      attackers.flatMap((drs) => Array.from({ length: 6 }, () => drs.datasets.upload(new URL(url)))),
    );
    await expect.poll(() => files.requests.length, soon).toBeGreaterThanOrEqual(6);
    const uploaded = await other.datasets.upload(document, { fileName: "a.pdf" });
    await expect.poll(async () => (await other.jobs.get(uploaded.id)).status, soon).toBe("SUCCESS");
    const fetched = await other.datasets.upload(new URL(`${files.url}/document.pdf`));
    await expect.poll(async () => (await other.jobs.get(fetched.id)).status, soon).toBe("SUCCESS");
    expect(jobs).toHaveLength(30);
  });

  test("of many webhooks keeps no other's messages waiting", async () => {
    for (const drs of attackers) {
      for (let endpoint = 0; endpoint < 5; endpoint += 1) {
        const { id } = await drs.webhooks.create({ url: `${files.url}/silent?${endpoint}` });
        await Promise.all(Array.from({ length: 4 }, () => drs.webhooks.test(id)));
      }
    }
    const to = (path: string) => files.requests.filter(({ url }) => url?.startsWith(path));
    await expect.poll(() => to("/silent").length, soon).toBeGreaterThanOrEqual(32);
    const { id } = await other.webhooks.create({ url: `${files.url}/well` });
    await other.webhooks.test(id);
    await expect.poll(() => to("/well").length, soon).toBe(1);
    // No room was waited for: all that was sent before is still at it.
    expect(to("/silent").filter(({ socket }) => socket.destroyed)).toEqual([]);
  });
});
