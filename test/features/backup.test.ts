import { createDrs, type Drs } from "@drs/client";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startCommand } from "../service/command.ts";
import { type ServerProcess, startServerProcess } from "../service/process.ts";
import { askHundred, askHundredWithin, fill, pagesPerDocument, startLoad } from "./backup/library.ts";

/** Pages that are vectorized before the backup; 10,000 take some minutes. */
const pages = Number(process.env["DRS_TEST_BACKUP_PAGES"] ?? 300);
const timeoutMs = 120_000 + pages * 200;

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe("drs backup and drs restore", { timeout: timeoutMs }, () => {
  let folder: string;
  let dataDir: string;
  let backups: string;
  let server: ServerProcess;
  let drs: Drs;
  let library: readonly string[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "drs-backup-"));
    dataDir = join(folder, "data");
    backups = join(folder, "backups");
    server = await startServerProcess(dataDir);
    drs = await clientOf(dataDir, server.url);
    library = await fill(drs, pages);
  }, timeoutMs);
  afterAll(async () => {
    await server?.terminate();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (...words: readonly string[]): Promise<Outcome> => startCommand(words, {}).outcome;
  const backUp = (): Promise<Outcome> => run("backup", backups, "--json", "--data-dir", dataDir);

  async function summaryOf(outcome: Promise<Outcome>): Promise<Record<string, number> & { name: string }> {
    const { code, stdout, stderr } = await outcome;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout);
  }

  test("a backup under load is consistent, and the next one copies what is new", async () => {
    const load = startLoad(drs);
    await sleep(2_000);
    const first = await summaryOf(backUp());
    const second = await summaryOf(backUp());
    const done = await load.stop();
    expect(done.uploads, "uploads while it was made").toBeGreaterThan(3);
    expect(done.searches).toBeGreaterThan(3);
    const originals = await sizeOf(join(dataDir, "blobs", "originals"), library);
    expect(first["copiedBytes"]).toBeGreaterThan(originals);
    // The rows, and what the load has made.
    expect(second["copiedFiles"]).toBeLessThan((first["copiedFiles"] ?? 0) / 2 + 4 * done.uploads);
    expect(second["files"]).toBeGreaterThan(pages / pagesPerDocument);
    const listed = JSON.parse((await run("backup", "list", backups, "--json")).stdout) as { data: { name: string }[] };
    expect(listed.data.map(({ name }) => name)).toEqual([first.name, second.name]);
    expect(await run("backup", "verify", backups, "--json")).toEqual({ code: 0, stdout: "", stderr: "" });

    for (const { name } of [first, second]) {
      const restored = join(folder, `restored-${name}`);
      await summaryOf(run("restore", backups, "--snapshot", name, "--json", "--data-dir", restored));
      expect(await run("verify", "--deep", "--json", "--data-dir", restored)).toEqual({
        code: 0,
        stdout: "",
        stderr: "",
      });
      const other = await startServerProcess(restored);
      try {
        const client = await clientOf(restored, other.url);
        await settled(client);
        const answers = await askHundred(client, pages, library);
        const live = await askHundred(drs, pages, library);
        expect(answers.map(([best]) => best)).toEqual(live.map(([best]) => best));
        // Which document fits as a whole depends on the words of all others, which the load has changed since, and how rare a
        // word is on which rows have been indexed by now: pages that fit nearly equally well may change places.
        expect(alike(answers, live)).toBeGreaterThanOrEqual(80);
        const [within, liveWithin] = [
          await askHundredWithin(client, pages, library),
          await askHundredWithin(drs, pages, library),
        ];
        expect(within.map(([best]) => best)).toEqual(liveWithin.map(([best]) => best));
        expect(alike(within, liveWithin)).toBeGreaterThanOrEqual(95);
        expect(new Set(answers.map(([best]) => best)).size).toBe(100);
        // What was asked for at the first look is made by the restored server itself.
        const [item] = (await client.items.page(library[0] ?? "", { row: "jpg" })).data;
        if (item === undefined) throw new Error("the restored document has no page");
        expect((await (await client.download(item)).bytes()).length).toBeGreaterThan(500);
      } finally {
        expect(await other.terminate()).toBe(0);
      }
      expect(await run("verify", "--json", "--data-dir", restored)).toEqual({ code: 0, stdout: "", stderr: "" });
      await rm(restored, { recursive: true });
    }
  });

  test("backups and restores that are killed leave what was there, and are gone on with", async () => {
    const target = join(folder, "killed");
    const before = await summaryOf(run("backup", target, "--json", "--data-dir", dataDir));
    await drs.datasets.upload(new TextEncoder().encode(await bigDocument()), { fileName: "big.pdf" });
    for (let round = 0; round < 6; round++) {
      const command = startCommand(["backup", target, "--json", "--data-dir", dataDir], {});
      await sleep(250 + 150 * round);
      command.kill("SIGKILL");
      await command.outcome;
      const { stdout } = await run("backup", "list", target, "--json");
      expect(JSON.parse(stdout).data[0]).toMatchObject({ name: before.name, problems: [] });
    }
    await summaryOf(run("backup", target, "--json", "--data-dir", dataDir));
    expect(await run("backup", "verify", target, "--json")).toEqual({ code: 0, stdout: "", stderr: "" });

    const restored = join(folder, "restored-killed");
    const words = ["restore", target, "--json", "--data-dir", restored];
    const killed = startCommand(words, {});
    await untilThere(join(restored, "unfinished.json"));
    killed.kill("SIGKILL");
    await killed.outcome;
    const refused = await run("serve", "--port", "0", "--data-dir", restored);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/not complete: drs restore .* was interrupted/),
    });
    await summaryOf(run(...words));
    expect(await run("verify", "--deep", "--json", "--data-dir", restored)).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
  });

  test("prune keeps the newest, and what they need", async () => {
    const pruned = JSON.parse((await run("backup", "prune", backups, "--keep", "1", "--yes", "--json")).stdout);
    expect(pruned).toMatchObject({ removedSnapshots: [expect.any(String)], keptSnapshots: [expect.any(String)] });
    expect(pruned.freedBytes).toBeGreaterThan(0);
    expect(await run("backup", "verify", backups, "--json")).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("damage of a backup is named, and what is damaged is not restored", async () => {
    const objects = join(backups, "objects");
    // Folders whose objects were pruned are there still, and empty.
    const [path = ""] = (await readdir(objects, { recursive: true })).filter((name) => /^[0-9a-f]{2}[/\\]./.test(name));
    await writeFile(join(objects, path), "something else");
    const verdict = await run("backup", "verify", backups, "--json");
    expect(verdict.code).toBe(1);
    expect(JSON.parse(verdict.stdout.split("\n")[0] ?? "")).toMatchObject({ problem: expect.stringMatching(/bytes/) });
    const refused = await run("restore", backups, "--data-dir", join(folder, "never"));
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/the backup of .* is damaged/) });
  });

  test("a folder that holds something is neither backed up into nor restored into", async () => {
    expect(await run("backup", folder, "--data-dir", dataDir)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/contains something other than a backup/),
    });
    expect(await run("restore", backups, "--data-dir", dataDir)).toMatchObject({ code: 1 });
    await writeFile(join(folder, "never", "notes.txt"), "mine");
    expect((await run("restore", backups, "--data-dir", folder)).stderr).toMatch(/is not empty; name an empty one/);
    expect((await run("backup", "list", folder)).stderr).toMatch(/there is no backup in/);
  });

  test("only its owner may read a backup", async () => {
    for (const entry of await readdir(backups, { recursive: true, withFileTypes: true })) {
      const { mode } = await stat(join(entry.parentPath, entry.name));
      expect([entry.name, mode & 0o077]).toEqual([entry.name, 0]);
    }
  });
});

/** How many of the answers are the same pages in the same order. */
const alike = (some: readonly unknown[], others: readonly unknown[]): number =>
  some.filter((found, at) => isDeepStrictEqual(found, others[at])).length;

async function clientOf(dataDir: string, url: string): Promise<Drs> {
  const { apiKey } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8")) as { apiKey: string };
  return createDrs({ server: url, apiKey });
}

/** Waits until no job is unfinished, and the index has been made. */
async function settled(drs: Drs): Promise<void> {
  const unfinished = async () => (await drs.jobs.page({ statuses: ["NOT_STARTED", "IN_QUEUE", "IN_PROGRESS"] })).total;
  await expect.poll(unfinished, { timeout: 120_000 }).toBe(0);
  const incomplete = async () => (await drs.search("harbour")).incompleteDatasetIds;
  await expect.poll(incomplete, { timeout: 120_000 }).toEqual([]);
}

async function sizeOf(root: string, names: readonly string[]): Promise<number> {
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(root, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function untilThere(path: string): Promise<void> {
  await expect
    .poll(
      async () =>
        stat(path).then(
          () => true,
          () => false,
        ),
      { interval: 5, timeout: 30_000 },
    )
    .toBe(true);
}

async function bigDocument(): Promise<string> {
  const { makePdf } = await import("../fixtures/pdf.ts");
  return makePdf({ pages: [{ text: "large", operators: `%${"x".repeat(20_000_000)}` }] }).toString("latin1");
}
