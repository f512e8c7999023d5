import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDrs, type Drs } from "@drs/client";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startCommand } from "../service/command.ts";
import { type AnswerFault, type FaultyProxy, startFaultyProxy } from "../service/faulty-proxy.ts";
import { startServer, type TestServer } from "../service/start.ts";

let server: TestServer;
let drs: Drs;
const open: FaultyProxy[] = [];
beforeAll(async () => {
  server = await startServer();
  drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
});
afterEach(() => Promise.all(open.splice(0).map((proxy) => proxy.close())));
afterAll(() => server.remove());

/** A server behind a proxy that loses its answer twice. */
async function behind(fault: AnswerFault, path: string): Promise<{ proxy: FaultyProxy; drs: Drs }> {
  const proxy = await startFaultyProxy(server.url, (line, nth) => (line.endsWith(path) && nth < 3 ? fault : undefined));
  open.push(proxy);
  return { proxy, drs: createDrs({ server: proxy.url, apiKey: server.credentials.apiKey }) };
}

function keysOf({ requests }: FaultyProxy, path: string): (string | undefined)[] {
  return requests.filter(({ line }) => line.endsWith(path)).map(({ key }) => key);
}

async function namesLike(text: string): Promise<string[]> {
  const all = await Array.fromAsync(drs.datasets.list());
  return all.map(({ fileName }) => fileName).filter((name) => name.startsWith(text));
}

const pdf = (text: string) => makePdf({ pages: [{ text }] });

describe.each<AnswerFault>(["cut", 502, 503, 504])("an answer that meets %s on its way is asked for again", (fault) => {
  test("and the document is there once", async () => {
    const { proxy, drs: far } = await behind(fault, "/v1/vectorize");
    const name = `document ${fault}`;
    const job = await far.datasets.upload(pdf(name), { fileName: `${name}.pdf`, vectorize: true });
    expect(await namesLike(name)).toEqual([`${name}.pdf`]);
    expect((await drs.jobs.wait(job.id)).status).toBe("SUCCESS");
    const keys = keysOf(proxy, "/v1/vectorize");
    expect(keys).toHaveLength(3);
    expect(new Set(keys)).toEqual(new Set([expect.stringMatching(/^[0-9a-f-]{36}$/)]));
  });
});

test.each<[string, (far: Drs) => Promise<unknown>, () => Promise<number>]>([
  [
    "/CreateWorkspace",
    (far) => far.workspaces.create("once"),
    async () => (await drs.workspaces.list()).filter(({ name }) => name === "once").length,
  ],
  [
    "/CreateKey",
    (far) => far.keys.create({ name: "once" }),
    async () => (await drs.keys.list()).filter(({ name }) => name === "once").length,
  ],
  [
    "/InviteMember",
    (far) => far.members.invite({ name: "once", role: "viewer" }),
    async () => (await drs.members.invitations()).filter(({ name }) => name === "once").length,
  ],
  [
    "/StartUpload",
    (far) =>
      far.datasets.upload(Buffer.alloc(6_000_000, "%PDF-1.7\n"), { fileName: "parts.pdf", singleRequestBytes: 0 }),
    async () => (await namesLike("parts")).length + (await Array.fromAsync(drs.uploads.list())).length,
  ],
])("what %s creates is there once although its answer is lost twice", async (path, create, count) => {
  const { proxy, drs: far } = await behind("cut", path);
  await create(far);
  expect(await count()).toBe(1);
  expect(keysOf(proxy, path)).toHaveLength(3);
});

test("a second call creates a second one, unless it comes with the key of the first", async () => {
  for (const idempotencyKey of [undefined, undefined, "mine", "mine"]) {
    await drs.datasets.upload(pdf("twice"), { fileName: "twice.pdf", idempotencyKey });
  }
  expect(await namesLike("twice")).toHaveLength(3);
});

test("a short call does not wait for a service that was never there", async () => {
  const { proxy } = await behind(undefined, "");
  await proxy.close();
  open.length = 0;
  const nobody = createDrs({ server: proxy.url, apiKey: "drs_test" });
  const stop = AbortSignal.timeout(5_000);
  await expect(nobody.workspaces.create("never", { signal: stop })).rejects.toMatchObject({ code: "unavailable" });
  expect(stop.aborted).toBe(false);
});

test("drs upload sends a document once, whatever happens to the answers", async () => {
  const folder = await mkdtemp(join(tmpdir(), "drs-lost-answers-"));
  await writeFile(join(folder, "cli.pdf"), pdf("from the command line"));
  const { proxy } = await behind("cut", "/v1/extract");
  const env = { HOME: folder, DRS_SERVER: proxy.url, DRS_API_KEY: server.credentials.apiKey };
  const { outcome } = startCommand(["upload", join(folder, "cli.pdf"), "--force", "--json"], env);
  expect(await outcome).toMatchObject({ code: 0 });
  expect(await namesLike("cli")).toEqual(["cli.pdf"]);
  expect(new Set(keysOf(proxy, "/v1/extract")).size).toBe(1);
  await rm(folder, { recursive: true });
});
