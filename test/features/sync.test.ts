import { createHash } from "node:crypto";
import { createServer, request } from "node:http";
import { mkdir, mkdtemp, readdir, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createDrs, type Drs } from "@drs/client";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { randomNumbers } from "../scale/random.ts";
import { type CommandProcess, startCommand } from "../service/command.ts";
import { startServer, type TestServer } from "../service/start.ts";
import { createEditedFolder } from "./sync/folder.ts";

let server: TestServer;
let drs: Drs;
let home: string;
let folder: string;
const running = new Set<CommandProcess>();

beforeAll(async () => {
  server = await startServer();
  drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
});
afterAll(() => server.remove());
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "drs-sync-"));
  folder = join(home, "archive");
  await mkdir(folder);
});
afterEach(async () => {
  for (const child of running) child.kill("SIGKILL");
  for await (const { id } of drs.datasets.list()) await drs.datasets.delete(id);
  await rm(home, { recursive: true });
});

function start(...words: string[]): CommandProcess {
  const child = startCommand(["sync", folder, ...words], {
    HOME: home,
    XDG_STATE_HOME: join(home, "state"),
    DRS_SERVER: server.url,
    DRS_API_KEY: server.credentials.apiKey,
  });
  running.add(child);
  void child.outcome.then(() => running.delete(child));
  return child;
}

const sync = (...words: string[]): CommandProcess["outcome"] => start(...words).outcome;

const sha256Of = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

const pdf = (text: string): Buffer => makePdf({ pages: [{ text }] });

async function put(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

/** Returns the documents of the service by id. */
async function stored(): Promise<ReadonlyMap<string, { readonly fileName: string; readonly sha256: string }>> {
  const found = new Map<string, { fileName: string; sha256: string }>();
  for await (const { id, fileName, sha256 } of drs.datasets.list()) found.set(id, { fileName, sha256 });
  return found;
}

const jobs = async (): Promise<number> => (await drs.jobs.page({ limit: 1 })).total;

interface Line {
  readonly file?: string;
  readonly step?: string;
  readonly outcome?: string;
  readonly datasetId?: string;
  readonly datasetIds?: readonly string[];
  readonly plan?: Readonly<Record<string, number>>;
  readonly summary?: Readonly<Record<string, unknown>>;
}

const lines = (text: string): Line[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line): Line => JSON.parse(line));

describe("a folder", () => {
  test("goes up, and of what has changed only that", async () => {
    await put("a.pdf", pdf("a"));
    await put("b.pdf", pdf("b"));
    await put("deep/c.pdf", pdf("c"));
    await put("notes.txt", "no document");
    await put(".hidden/x.pdf", pdf("hidden"));
    const before = await jobs();
    const first = await sync("--json");
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(lines(first.stdout)[0]?.plan).toMatchObject({ uploaded: 3, unchanged: 0 });
    expect(lines(first.stdout).at(-1)?.summary).toMatchObject({ uploaded: 3, failed: 0, leftOut: 1, exitCode: 0 });
    const one = await stored();
    expect([...one.values()].map(({ fileName }) => fileName).toSorted()).toEqual(["a.pdf", "b.pdf", "c.pdf"]);

    const again = await sync();
    expect(again).toMatchObject({ code: 0, stdout: "" });
    expect(again.stderr).toContain("plan: 3 unchanged");
    expect(await stored()).toEqual(one);

    await put("a.pdf", pdf("a, edited"));
    await rename(join(folder, "deep/c.pdf"), join(folder, "moved.pdf"));
    await rm(join(folder, "b.pdf"));
    const third = await sync();
    expect(third.code).toBe(0);
    expect(third.stderr).toContain("1 changed");
    expect(third.stderr).toContain("1 renamed");
    expect(third.stderr).toContain("1 removed file whose documents stay");
    expect(third.stdout).toContain(`moved.pdf: renamed from ${join(folder, "deep/c.pdf")}`);
    expect(await jobs()).toBe(before + 4);
    const ids = new Map([...one].map(([id, { fileName }]) => [fileName, id]));
    const three = await stored();
    expect(three.get(ids.get("a.pdf") ?? "")).toEqual({ fileName: "a.pdf", sha256: sha256Of(pdf("a, edited")) });
    expect(three.size).toBe(3);
    expect(three.has(ids.get("b.pdf") ?? "")).toBe(true);
    expect(three.get(ids.get("c.pdf") ?? "")).toMatchObject({ fileName: "moved.pdf" });

    const last = await sync("--delete");
    expect(last).toMatchObject({ code: 0, stdout: expect.stringMatching(/b\.pdf: deleted \(ds_/) });
    expect((await stored()).has(ids.get("b.pdf") ?? "")).toBe(false);
    expect(await jobs()).toBe(before + 4);
  });

  test("is compared without anything being done by --dry-run", async () => {
    await put("a.pdf", pdf("a"));
    const { code, stdout, stderr } = await sync("--dry-run");
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^upload {2}a\.pdf \(\d+ B\)\n$/),
    });
    expect(stderr).toContain("plan: 1 new");
    expect((await stored()).size).toBe(0);
    expect(lines((await sync("--dry-run", "--json")).stdout)).toMatchObject([
      { step: "upload", path: "a.pdf" },
      { plan: { uploaded: 1 } },
    ]);
  });

  test("takes over what was uploaded before, and knows it again without its state", async () => {
    await put("a.pdf", pdf("a"));
    await drs.jobs.wait((await drs.datasets.upload(join(folder, "a.pdf"))).id);
    const before = await jobs();
    expect((await sync()).stdout).toMatch(/a\.pdf: already there \(ds_/);
    await rm(join(home, "state"), { recursive: true });
    expect((await sync()).stdout).toMatch(/a\.pdf: already there \(ds_/);
    expect(await jobs()).toBe(before);
    expect((await stored()).size).toBe(1);
  });

  test("has a document for every file, also where two are the same", async () => {
    await put("a.pdf", pdf("same"));
    await put("copy/a.pdf", pdf("same"));
    await put("b.pdf", pdf("same"));
    expect((await sync()).code).toBe(0);
    expect((await sync()).stdout).toBe("");
    expect([...(await stored()).values()].map(({ fileName }) => fileName).toSorted()).toEqual([
      "a.pdf",
      "a.pdf",
      "b.pdf",
    ]);
  });

  test("goes up again where the service has lost it", async () => {
    await put("a.pdf", pdf("a"));
    await sync();
    for (const id of (await stored()).keys()) await drs.datasets.delete(id);
    expect((await sync()).stderr).toContain("plan: 1 new");
    expect((await stored()).size).toBe(1);
  });

  test("keeps its document while a new content cannot be read", async () => {
    await put("a.pdf", pdf("good"));
    await sync();
    const [good] = (await stored()).keys();
    await put("a.pdf", Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(4_000, 7)]));
    const broken = await sync();
    expect(broken).toMatchObject({ code: 1, stdout: expect.stringContaining("a.pdf: failed: ") });
    expect((await stored()).get(good ?? "")).toMatchObject({ sha256: sha256Of(pdf("good")) });
    const again = await sync();
    expect(again).toMatchObject({ code: 0, stdout: "" });
    expect(again.stderr).toContain("1 whose job failed before");
    await put("a.pdf", pdf("better"));
    expect((await sync()).code).toBe(0);
    expect(await stored()).toEqual(new Map([[good, { fileName: "a.pdf", sha256: sha256Of(pdf("better")) }]]));
  });

  test("gives a document that has changed a new version: id, metadata and expiry stay", async () => {
    await put("a.pdf", pdf("first"));
    await sync("--expires-in-days", "30");
    const [id = ""] = (await stored()).keys();
    await drs.datasets.update(id, { metadata: { customer: 42 } });
    await put("a.pdf", pdf("second"));
    expect((await sync("--dry-run")).stdout).toMatch(new RegExp(`^change {2}a\\.pdf \\(${id}, \\d+ B\\)\n$`));
    const second = await sync("--json");
    expect(lines(second.stdout)).toContainEqual(expect.objectContaining({ outcome: "changed", datasetId: id }));
    const { sha256, metadata, expiresAt } = await drs.datasets.get(id);
    expect({ sha256, metadata }).toEqual({ sha256: sha256Of(pdf("second")), metadata: { customer: 42 } });
    const before = Number(expiresAt);
    await put("a.pdf", pdf("third"));
    expect((await sync("--expires-in-days", "60")).code).toBe(0);
    expect((await stored()).size).toBe(1);
    expect((await drs.datasets.get(id)).expiresAt).toBeGreaterThan(before + 29 * 86_400_000);
  });

  test("a document that somebody else has replaced becomes what the file is", async () => {
    await put("a.pdf", pdf("ours"));
    await sync();
    const [id = ""] = (await stored()).keys();
    await drs.jobs.wait((await drs.datasets.replace(id, pdf("theirs"), { fileName: "theirs.pdf" })).id);
    expect((await sync()).stderr).toContain("1 changed");
    expect(await stored()).toEqual(new Map([[id, { fileName: "a.pdf", sha256: sha256Of(pdf("ours")) }]]));
  });

  test("an older service that knows no versions is sent the new content as a document of its own", async () => {
    await put("a.pdf", pdf("first"));
    await put("b.pdf", pdf("b"));
    const refused: string[] = [];
    // What a service answers to a path that it does not know.
    const older = createServer((asked, answer) => {
      if (asked.method === "PUT") {
        refused.push(String(asked.url));
        asked.resume();
        answer.writeHead(404, { "content-type": "application/json" });
        answer.end(JSON.stringify({ success: false, error: { code: "NOT_FOUND", message: "there is no such path" } }));
        return;
      }
      const { hostname, port } = new URL(server.url);
      const passed = request(
        { hostname, port, method: asked.method, path: asked.url, headers: asked.headers },
        (got) => {
          answer.writeHead(got.statusCode ?? 500, got.headers);
          got.pipe(answer);
        },
      );
      passed.on("error", () => answer.destroy());
      asked.pipe(passed);
    });
    await new Promise<void>((resolve) => older.listen(0, "127.0.0.1", resolve));
    try {
      const address = older.address();
      const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
      expect((await sync("--server", url)).code).toBe(0);
      const before = await stored();
      await put("a.pdf", pdf("second"));
      await put("b.pdf", pdf("b, edited"));
      const { code, stderr } = await sync("--server", url, "--at-once", "1");
      expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("2 changed") });
      expect(refused).not.toEqual([]);
      const after = await stored();
      expect([...after.keys()].filter((id) => before.has(id))).toEqual([]);
      expect(after.size).toBe(2);
      expect((await sync("--server", url)).stderr).toContain("plan: 2 unchanged");
    } finally {
      older.closeAllConnections();
      older.close();
    }
  });

  test("is told once what the service refuses", async () => {
    await put("a.pdf", "no document at all");
    const first = await sync("--json");
    expect(first.code).toBe(1);
    expect(lines(first.stdout)).toContainEqual(expect.objectContaining({ outcome: "failed", refused: true }));
    const second = await sync();
    expect(second).toMatchObject({ code: 0, stdout: "" });
    expect(second.stderr).toContain("1 refused before");
    expect((await sync("--again")).code).toBe(1);
    await put("a.pdf", pdf("a document now"));
    expect((await sync()).code).toBe(0);
    expect((await stored()).size).toBe(1);
  });

  test("is sent with metadata by a key that is bound to it", async () => {
    const { key } = await drs.keys.create({ name: "bound", filter: { customer: 42 }, scopes: ["read", "write"] });
    await put("a.pdf", pdf("a"));
    const bound = (...flags: string[]) => sync("--api-key", key, "--server", server.url, ...flags);
    const refused = await bound();
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("--meta") });
    expect((await bound("--meta", "customer=42", "--meta", "tags=a")).code).toBe(0);
    const said = async () =>
      Promise.all([...(await stored()).keys()].map(async (id) => (await drs.datasets.get(id)).metadata));
    expect(await said()).toEqual([{ customer: 42, tags: "a" }]);
    await put("a.pdf", pdf("b"));
    expect((await bound("--meta", "customer=42")).stderr).toContain("1 changed");
    expect(await said()).toEqual([{ customer: 42, tags: "a" }]);
  }, 120_000);

  test("is made searchable afterwards", async () => {
    await put("a.pdf", pdf("quarterly figures"));
    await sync();
    expect((await sync("--vectorize")).stderr).toContain("1 made searchable");
    expect((await sync("--vectorize")).stderr).toContain("plan: 1 unchanged");
    expect(await drs.search("quarterly figures")).not.toEqual([]);
    expect((await stored()).size).toBe(1);
  }, 60_000);
});

describe("deletion", () => {
  test("of everything is refused where nobody can be asked", async () => {
    await put("a.pdf", pdf("a"));
    await put("b.pdf", pdf("b"));
    await sync();
    await rm(join(folder, "a.pdf"));
    await rm(join(folder, "b.pdf"));
    const refused = await sync("--delete");
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("2 files of 2 that are synced are gone");
    expect(refused.stderr).toContain("--delete-most");
    expect((await stored()).size).toBe(2);
    expect((await sync("--delete", "--delete-most")).code).toBe(0);
    expect((await stored()).size).toBe(0);
  });

  test("of documents that were there before wants a word of its own", async () => {
    for (const name of ["mine.pdf", "theirs.pdf", "edited.pdf"]) await put(name, pdf(name));
    for (const name of ["theirs.pdf", "edited.pdf"])
      await drs.jobs.wait((await drs.datasets.upload(join(folder, name))).id);
    const left = async () => [...(await stored()).values()].map(({ fileName }) => fileName).toSorted();
    expect((await sync()).stderr).toContain("2 already there");
    await put("edited.pdf", pdf("edited again"));
    expect((await sync()).stderr).toContain("1 changed");
    await put("stays.pdf", pdf("stays"));
    for (const name of ["mine.pdf", "theirs.pdf", "edited.pdf"]) await rm(join(folder, name));
    const { code, stderr } = await sync("--delete");
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("2 removed files whose") });
    expect(stderr).toContain("--delete-adopted");
    expect(await left()).toEqual(["edited.pdf", "stays.pdf", "theirs.pdf"]);
    expect(await sync("--delete-adopted")).toMatchObject({ code: 2 });
    expect((await sync("--delete", "--delete-adopted")).code).toBe(0);
    expect(await left()).toEqual(["stays.pdf"]);
  });

  test("spares what cannot be read, leads nowhere, or is left out", async () => {
    await put("keep.pdf", pdf("keep"));
    await mkdir(join(home, "elsewhere"));
    await writeFile(join(home, "elsewhere/linked.pdf"), pdf("linked"));
    await symlink(join(home, "elsewhere"), join(folder, "link"));
    await symlink(folder, join(folder, "loop"));
    await put("drafts/d.pdf", pdf("draft"));
    expect((await sync()).code).toBe(0);
    expect((await stored()).size).toBe(3);
    await rename(join(home, "elsewhere"), join(home, "away"));
    const { code, stdout } = await sync("--delete", "--exclude", "drafts");
    expect(code).toBe(3);
    expect(stdout).toContain("link: not read");
    expect((await stored()).size).toBe(3);
  });

  test("is not confused by a folder that is not there", async () => {
    await put("a.pdf", pdf("a"));
    await sync();
    await rename(folder, join(home, "gone"));
    const { code, stderr } = await sync("--delete");
    expect(code).toBe(1);
    expect(stderr).toContain("archive");
    expect((await stored()).size).toBe(1);
  });
});

test("a file that is written to without its times telling is found", async () => {
  await put("a.pdf", pdf("a"));
  const time = new Date(1_790_000_000_000);
  await utimes(join(folder, "a.pdf"), time, time);
  await sync();
  await put("a.pdf", pdf("b"));
  await utimes(join(folder, "a.pdf"), time, time);
  expect((await sync()).stderr).toContain("1 changed");
});

test("names as file systems write them", async () => {
  const decomposed = "é.pdf".normalize("NFD");
  const names = [decomposed, "new\nline.pdf", "日本語.pdf", "quote \"'.pdf", "-dash.pdf", "back\\slash.pdf"];
  for (const [index, name] of names.entries()) await put(name, pdf(`document ${index}`));
  expect((await sync()).code).toBe(0);
  // As the service keeps them.
  const kept = ["é.pdf", "newline.pdf", "日本語.pdf", "quote \"'.pdf", "-dash.pdf", "slash.pdf"];
  expect([...(await stored()).values()].map(({ fileName }) => fileName).toSorted()).toEqual(kept.toSorted());
  await rm(join(home, "state"), { recursive: true });
  expect((await sync()).stderr).toContain(`plan: ${names.length} already there`);
  await rename(join(folder, decomposed), join(folder, decomposed.normalize("NFC")));
  expect((await sync()).stderr).toContain("1 renamed");
  expect((await stored()).size).toBe(names.length);
});

test("Ctrl-C ends a run that goes on the next time", async () => {
  for (let index = 0; index < 60; index += 1) await put(`${index}.pdf`, pdf(`document ${index}`));
  const before = await jobs();
  const run = start("--at-once", "1");
  await expect.poll(run.stdout, { timeout: 30_000, interval: 5 }).toContain("\n");
  run.kill("SIGINT");
  const { code, stderr } = await run.outcome;
  expect(code).toBe(130);
  expect(stderr).toContain("run the same command again to continue");
  expect((await sync()).code).toBe(0);
  expect((await stored()).size).toBe(60);
  expect(await jobs()).toBe(before + 60);
}, 120_000);

test("two runs of one folder do not meet", async () => {
  await put("a.pdf", pdf("a"));
  const watching = start("--watch");
  await expect.poll(watching.stderr, { timeout: 30_000 }).toContain("watching");
  const other = await sync();
  expect(other.code).toBe(1);
  expect(other.stderr).toContain("another drs sync is running");
  watching.kill("SIGINT");
  expect((await watching.outcome).code).toBe(0);
  expect((await sync()).code).toBe(0);
});

test("--watch goes on with what changes", async () => {
  await put("a.pdf", pdf("a"));
  const watching = start("--watch", "--delete");
  await expect.poll(watching.stderr, { timeout: 30_000 }).toContain("watching");
  await put("new/deep/b.pdf", pdf("b"));
  await expect.poll(async () => (await stored()).size, { timeout: 30_000 }).toBe(2);
  await put("new/deep/c.pdf", pdf("c"));
  await expect.poll(async () => (await stored()).size, { timeout: 30_000 }).toBe(3);
  await rm(join(folder, "a.pdf"));
  await expect.poll(async () => (await stored()).size, { timeout: 30_000 }).toBe(2);
  watching.kill("SIGINT");
  expect((await watching.outcome).code).toBe(0);
}, 120_000);

test("a state that is damaged is put aside", async () => {
  await put("a.pdf", pdf("a"));
  await sync();
  const states = join(home, "state", "drs", "sync");
  for (const name of await readdir(states)) await writeFile(join(states, name), "not a database ".repeat(100));
  const { code, stderr } = await sync();
  expect(code).toBe(0);
  expect(stderr).toContain("was renamed");
  expect((await stored()).size).toBe(1);
});

/** The bar is 1,000 files and 50 rounds; what always runs is smaller. */
const files = Number(process.env["DRS_TEST_SYNC_FILES"] ?? 40);
const rounds = Number(process.env["DRS_TEST_SYNC_ROUNDS"] ?? 6);

test(
  `${files} files, ${rounds} rounds of edits and kills: alike after the next run, nothing uploaded twice`,
  async () => {
    const random = randomNumbers(Number(process.env["DRS_TEST_SYNC_SEED"] ?? 1));
    const edited = createEditedFolder(folder, random);
    for (let index = 0; index < files; index += 1) await edited.add();
    const before = await jobs();
    const seen = new Set<string>();
    let killed = 0;
    let lastMs = 1_000;
    const note = async (): Promise<void> => {
      // What was on its way when the run was killed still arrives.
      let known = -1;
      for (let now = await jobs(); now !== known; now = await jobs()) {
        known = now;
        await pause(300);
      }
      for (const { sha256 } of (await stored()).values()) seen.add(sha256);
    };
    for (let round = 1; round <= rounds; round += 1) {
      for (let kills = Math.floor(random() * 3) + 1; kills > 0; kills -= 1) {
        const run = start("--delete", "--at-once", "8");
        await Promise.race([run.outcome, pause(300 + random() * lastMs)]);
        run.kill("SIGKILL");
        if ((await run.outcome).code === null) killed += 1;
        await note();
        if (random() < 0.5) for (let edits = Math.ceil(files * 0.01); edits > 0; edits -= 1) await edited.edit();
      }
      const startedAt = Date.now();
      const { code, stderr } = await sync("--delete", "--at-once", "8");
      lastMs = Math.max(700, Date.now() - startedAt);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      await note();
      const here = [...edited.files.values()].toSorted();
      const there = [...(await stored()).values()].map(({ sha256 }) => sha256).toSorted();
      expect(there, `round ${round}`).toEqual(here);
      expect(await jobs(), `uploads by round ${round}`).toBe(before + seen.size);
      for (let edits = Math.ceil(files * 0.04); edits > 0; edits -= 1) await edited.edit();
    }
    console.info(
      `${files} files, ${rounds} rounds, ${killed} kills: ${seen.size} contents sent, ${edited.written} written`,
    );
    expect(killed).toBeGreaterThan(0);
  },
  Number(process.env["DRS_TEST_SYNC_MS"] ?? 240_000),
);
