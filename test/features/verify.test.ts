import { createDrs, type Drs } from "@drs/client";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeDocx } from "../fixtures/ooxml.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { startCommand } from "../service/command.ts";
import { startServer, type TestServer } from "../service/start.ts";

interface Finding {
  readonly kind: string;
  readonly remedy: string;
  readonly key?: string;
  readonly datasetId?: string;
}

describe("drs verify", () => {
  let server: TestServer;
  let drs: Drs;
  let pdf: string;
  let office: string;
  beforeAll(async () => {
    server = await startServer({ workers: "1" });
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    const documents = [
      [makePdf({ pages: [{ text: "About the walrus." }, { text: "" }, { text: "About the otter." }] }), "animals.pdf"],
      [makeDocx({ paragraphs: ["About the pelican."] }), "birds.docx"],
    ] as const;
    const ids: string[] = [];
    for (const [bytes, fileName] of documents) {
      const upload = await drs.datasets.upload(bytes, { fileName, vectorize: true });
      expect(await drs.jobs.wait(upload.id)).toMatchObject({ status: "SUCCESS", failures: [] });
      ids.push(upload.datasetId);
    }
    [pdf = "", office = ""] = ids;
  }, 240_000);
  afterAll(() => server.remove());

  const blobs = (): string => join(server.dataDir, "blobs");

  async function verify(...flags: readonly string[]): Promise<{ code: number | null; findings: Finding[] }> {
    const { code, stdout, stderr } = await startCommand(
      ["verify", "--json", "--data-dir", server.dataDir, ...flags],
      {},
    ).outcome;
    const findings = stdout.split("\n").flatMap((line): Finding[] => (line === "" ? [] : [JSON.parse(line)]));
    expect(stderr).toBe("");
    return { code, findings };
  }

  async function clean(): Promise<void> {
    await expect.poll(() => verify(), { timeout: 60_000, interval: 500 }).toEqual({ code: 0, findings: [] });
  }

  test("finds nothing where all is well, beside a server at work", async () => {
    expect(await verify("--deep")).toEqual({ code: 0, findings: [] });
    const { stderr } = await startCommand(["verify", "--data-dir", server.dataDir], {}).outcome;
    expect(stderr).toContain("there is no missing or orphaned data");
  });

  test("bytes that belong to nothing are named, and removed if asked for", async () => {
    const stray = join(blobs(), "originals", "ds_01jzzzzzzzzzzzzzzzzzzzzzzz");
    await writeFile(stray, "left behind");
    const key = "originals/ds_01jzzzzzzzzzzzzzzzzzzzzzzz";
    expect(await verify()).toEqual({
      code: 1,
      findings: [expect.objectContaining({ kind: "stray blob", key, size: 11, remedy: "found" })],
    });
    expect(await verify("--repair")).toMatchObject({ code: 0, findings: [{ kind: "stray blob", remedy: "repaired" }] });
    await expect
      .poll(() => readdir(join(blobs(), "originals")), { timeout: 10_000 })
      .not.toContain("ds_01jzzzzzzzzzzzzzzzzzzzzzzz");
    await clean();
  }, 120_000);

  test("a converted document that is lost is converted again", async () => {
    await rm(join(blobs(), "converted"), { recursive: true });
    expect(await verify("--repair")).toMatchObject({
      code: 0,
      findings: [{ kind: "converted", datasetId: office, remedy: "repaired" }],
    });
    const unfinished = async () =>
      (await drs.jobs.page({ statuses: ["NOT_STARTED", "IN_QUEUE", "IN_PROGRESS"] })).total;
    await expect.poll(unfinished, { timeout: 60_000 }).toBe(0);
    await clean();
    const [page] = (await drs.items.page(office, { row: "pdf" })).data;
    if (page === undefined) throw new Error("the document has no page");
    expect((await (await drs.download(page)).bytes()).length).toBeGreaterThan(500);
  }, 120_000);

  test("what is missing of the index is made again, and what a blank page has nothing of is not missed", async () => {
    // The server may be writing there.
    await rm(join(server.dataDir, "vectors"), { recursive: true, maxRetries: 5 });
    await mkdir(join(server.dataDir, "vectors"));
    const { code, findings } = await verify("--repair");
    expect(code).toBe(0);
    // The server looks for itself as well, and may have been quicker.
    for (const finding of findings) {
      expect(finding).toMatchObject({ kind: "index table", problem: expect.stringContaining("not found") });
    }
    await expect.poll(async () => (await drs.search("walrus")).incompleteDatasetIds, { timeout: 60_000 }).toEqual([]);
    await clean();
    expect((await drs.search("walrus"))[0]).toMatchObject({ datasetId: pdf, col: 1 });
  }, 120_000);

  async function parts(): Promise<string[]> {
    const root = join(blobs(), "features", pdf);
    const paths = await readdir(root, { recursive: true });
    return paths.filter((path) => path.endsWith(".arrow")).map((path) => join(root, path));
  }

  test("features that are lost or damaged are made again", async () => {
    for (const [change, problem, flags] of [
      [(path: string) => rm(path), "is missing", []],
      [(path: string) => writeFile(path, "short"), "has 5 bytes instead of", []],
      [
        async (path: string) => writeFile(path, (await readFile(path)).toReversed()),
        "has other bytes than those that were stored",
        ["--deep"],
      ],
    ] as const) {
      const before = await parts();
      expect(before).toHaveLength(1);
      await Promise.all(before.map(change));
      const [path = ""] = before;
      const key = path.slice(blobs().length + 1);
      expect(await verify(...flags)).toMatchObject({
        code: 1,
        findings: [
          { kind: "features", datasetId: pdf, key, remedy: "found", message: expect.stringContaining(problem) },
        ],
      });
      expect(await verify("--repair", ...flags)).toMatchObject({
        code: 0,
        findings: [{ kind: "features", datasetId: pdf, key, remedy: "repaired" }],
      });
      await expect.poll(async () => (await parts()).length, { timeout: 60_000 }).toBe(1);
      await expect.poll(parts, { timeout: 60_000 }).not.toContain(path);
      await clean();
      expect(await verify("--deep")).toEqual({ code: 0, findings: [] });
    }
    expect((await drs.search("walrus"))[0]).toMatchObject({ datasetId: pdf, col: 1 });
  }, 180_000);

  test("drs index rebuild embeds a dataset again, while it is searched", async () => {
    const rebuilding = startCommand(["index", "rebuild", "--dataset", pdf, "--json", "--data-dir", server.dataDir], {});
    const before = await drs.search("otter");
    expect(before[0]).toMatchObject({ datasetId: pdf, col: 3 });
    expect(before.incompleteDatasetIds).toEqual([]);
    const { code, stdout } = await rebuilding.outcome;
    expect([code, JSON.parse(stdout)]).toEqual([0, { datasets: 1, isDone: true }]);
    const verdict = await startCommand(["index", "verify", "--data-dir", server.dataDir], {}).outcome;
    expect(verdict).toMatchObject({ code: 0, stdout: "" });
    expect((await drs.search("otter"))[0]).toMatchObject({ datasetId: pdf, col: 3 });
  }, 120_000);

  test("a document whose bytes are lost is named, and cannot be repaired", async () => {
    await rm(join(blobs(), "originals", pdf));
    const { code, findings } = await verify("--repair");
    expect(code).toBe(1);
    expect(findings).toEqual([expect.objectContaining({ kind: "original", datasetId: pdf, remedy: "none" })]);
    expect(findings[0]).toMatchObject({ message: expect.stringMatching(/is missing; restore it from a backup/) });
    await drs.datasets.delete(pdf);
    await clean();
  }, 120_000);
});
