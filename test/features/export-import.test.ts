import { createDrs, type Drs, type Job } from "@drs/client";
import { createHash } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeDocx } from "../fixtures/ooxml.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { startCommand } from "../service/command.ts";
import { countEmbedded } from "../service/samples.ts";
import { startServer, type TestServer } from "../service/start.ts";

const info = { title: "Animals of the shore", author: "Ottilie Wreck" };
const pdf = makePdf({ info, pages: [{ text: "About the walrus." }, { text: "" }, { text: "About the otter." }] });

/** As a worker notes what the pages of a document do not show. */
function warnOf({ dataDir }: TestServer, id: string, warnings: Job["warnings"]): void {
  const database = new DatabaseSync(join(dataDir, "metadata.sqlite"), { timeout: 5_000 });
  database.prepare(`update "datasets" set "warnings" = ? where "id" = ?`).run(JSON.stringify(warnings), id);
  database.close();
}

/** Title and author of a dataset's file, as the server keeps them. */
function statedIn({ dataDir }: TestServer, id: string): unknown {
  const database = new DatabaseSync(join(dataDir, "metadata.sqlite"), { readOnly: true });
  try {
    return { ...database.prepare(`select "title", "author" from "datasets" where "id" = ?`).get(id) };
  } finally {
    database.close();
  }
}

describe("drs export and drs import", { timeout: 240_000 }, () => {
  let folder: string;
  let source: TestServer;
  let target: TestServer;
  let drs: Drs;
  let other: Drs;
  let animals: string;
  let birds: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "drs-export-"));
    [source, target] = await Promise.all([startServer({ workers: "1" }), startServer({ workers: "1" })]);
    drs = createDrs({ server: source.url, apiKey: source.credentials.apiKey });
    other = createDrs({ server: target.url, apiKey: target.credentials.apiKey });
    const documents = [
      [pdf, "animals.pdf", true],
      [makeDocx({ paragraphs: ["About the pelican."] }), "birds.docx", true],
      [makePdf({ pages: [{ text: "About nothing." }] }), "plain.pdf", false],
    ] as const;
    const ids: string[] = [];
    for (const [bytes, fileName, vectorize] of documents) {
      const upload = await drs.datasets.upload(bytes, {
        fileName,
        vectorize,
        metadata: { label: fileName, tags: ["a"] },
      });
      expect(await drs.jobs.wait(upload.id)).toMatchObject({ status: "SUCCESS", failures: [] });
      ids.push(upload.datasetId);
    }
    [animals = "", birds = ""] = ids;
  }, 240_000);
  afterAll(async () => {
    await source?.remove();
    await target?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  async function run(...words: readonly string[]) {
    const { code, stdout, stderr } = await startCommand(words, {}).outcome;
    return { code, answer: stdout === "" ? undefined : (JSON.parse(stdout) as Record<string, unknown>), stderr };
  }
  const exportTo = (dir: string, ...flags: string[]) =>
    run("export", dir, "--json", "--data-dir", source.dataDir, "--workspace", source.credentials.workspaceId, ...flags);
  const importWords = (dir: string, server: TestServer, ...flags: string[]) => [
    "import",
    dir,
    "--json",
    "--data-dir",
    server.dataDir,
    "--workspace",
    server.credentials.workspaceId,
    ...flags,
  ];
  const importFrom = (dir: string, server: TestServer, ...flags: string[]) =>
    run(...importWords(dir, server, ...flags));
  const clean = async (server: TestServer): Promise<void> =>
    expect(await run("verify", "--deep", "--json", "--data-dir", server.dataDir)).toEqual({ code: 0, stderr: "" });

  test("a workspace comes to another server with its features, however often the import is killed", async () => {
    const dir = join(folder, "whole");
    const losses = [{ code: "formula", message: "a formula is not shown", page: 3 }];
    warnOf(source, animals, losses);
    expect(await exportTo(dir, "--vectors")).toMatchObject({ code: 0, stderr: "", answer: { datasets: 3, pages: 5 } });
    for (let round = 0; round < 4; round++) {
      const command = startCommand(importWords(dir, target), {});
      await sleep(500 + 250 * round);
      command.kill("SIGKILL");
      await command.outcome;
    }
    const imported = await importFrom(dir, target);
    expect(imported).toMatchObject({ code: 0, stderr: "", answer: { datasets: 3, unfinished: 0, pages: 5 } });
    expect(await importFrom(dir, target)).toMatchObject({ code: 0, answer: { datasets: 3, present: 3 } });
    // Workers make the index of the features, and embed no page.
    await expect.poll(() => isWhole(other), { timeout: 60_000 }).toBe(true);
    expect(await countEmbedded(target.url)).toBe(0);
    await clean(target);
    for (const id of [animals, birds]) expect(await partsOf(target, id)).toEqual(await partsOf(source, id));
    const [before, after] = [await datasetsOf(drs), await datasetsOf(other)];
    expect(after).toEqual(before);
    expect(statedIn(target, animals)).toEqual(info);
    const jobs = await other.jobs.page({ statuses: ["SUCCESS"] });
    expect(jobs.data.find(({ datasetId }) => datasetId === animals)).toMatchObject({ warnings: losses });
    expect((await other.jobs.page({ statuses: ["NOT_STARTED", "IN_QUEUE", "IN_PROGRESS"] })).total).toBe(0);
    for (const question of ["walrus", "pelican", "otter"]) {
      const [expected, found] = [await drs.search(question), await other.search(question)];
      expect(found.map(({ datasetId, col, score }) => [datasetId, col, score])).toEqual(
        expected.map(({ datasetId, col, score }) => [datasetId, col, score]),
      );
    }
    const usage = await other.usage();
    expect(usage).toMatchObject({ stored: (await drs.usage()).stored, documents: 3, pages: 5 });
    const [item] = (await other.items.page(animals, { row: "jpg" })).data;
    if (item === undefined) throw new Error("no page");
    expect((await (await other.download(item)).bytes()).length).toBeGreaterThan(500);
  });

  test("ids that are taken are refused, or others are made out of them", async () => {
    const dir = join(folder, "again");
    expect(await exportTo(dir)).toMatchObject({ code: 0 });
    const { id } = await drs.workspaces.create("copy");
    const into = (...flags: string[]) =>
      run("import", dir, "--json", "--data-dir", source.dataDir, "--workspace", "copy", ...flags);
    expect(await into()).toMatchObject({ code: 1, stderr: expect.stringMatching(/--new-ids/) });
    expect(await into("--new-ids")).toMatchObject({ code: 0, answer: { datasets: 3, present: 0, unfinished: 2 } });
    expect(await into("--new-ids")).toMatchObject({ code: 0, answer: { datasets: 3, present: 3 } });
    const { key } = await drs.keys.create({ workspace: id, scopes: ["read", "search"] });
    const copy = createDrs({ server: source.url, apiKey: key });
    // Without vectors: they are made again.
    const unfinished = async () =>
      (await copy.jobs.page({ statuses: ["NOT_STARTED", "IN_QUEUE", "IN_PROGRESS"] })).total;
    await expect.poll(unfinished, { timeout: 60_000 }).toBe(0);
    const [found] = await copy.search("walrus");
    expect(found).toMatchObject({ col: 1 });
    expect(found?.datasetId).not.toBe(animals);
    await clean(source);
  });

  test("a name of several workspaces is answered with their ids", async () => {
    const { organisation, workspaceId } = await drs.organisations.create({ name: "Another" });
    const words = ["export", join(folder, "which"), "--data-dir", source.dataDir, "--workspace", "default"];
    const { code, stderr } = await run(...words);
    expect(code).toBe(1);
    expect(stderr).toContain(`${source.credentials.workspaceId} of `);
    expect(stderr).toContain(`${workspaceId} of ${organisation.name}`);
  });

  test("the plan of the target holds", async () => {
    const { id } = await drs.workspaces.create("small");
    await drs.plans.set("tiny", { maxUploadBytes: 10 });
    await drs.organisations.update(source.credentials.organisationId, { plan: "tiny" });
    const refused = await run(
      "import",
      join(folder, "again"),
      "--new-ids",
      "--json",
      "--data-dir",
      source.dataDir,
      "--workspace",
      id,
    );
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/the plan of the target allows/) });
    await drs.organisations.update(source.credentials.organisationId, { plan: "unlimited" });
  });

  describe("what is not as its format says is refused, and nothing of it is there", () => {
    const hostile: readonly (readonly [string, (dir: string) => Promise<void>, RegExp])[] = [
      [
        "a changed document",
        (dir) => change(join(dir, "originals", animals), (text) => text.replace("walrus", "wolves")),
        /other bytes/,
      ],
      ["a shorter one", (dir) => writeFile(join(dir, "originals", animals), "%PDF-1.7"), /8 bytes instead of/],
      ["a link", (dir) => swapForLink(join(dir, "originals", animals), join(folder, "elsewhere")), /is a link/],
      ["a folder that is a link", (dir) => swapForLink(join(dir, "pages"), join(folder, "pages")), /is a link/],
      [
        "another format",
        (dir) => relist(dir, (line) => line.replaceAll('"fileExt":"pdf"', '"fileExt":"docx"')),
        /is not a docx/,
      ],
      [
        "an unknown format",
        (dir) => relist(dir, (line) => line.replaceAll('"fileExt":"pdf"', '"fileExt":"exe"')),
        /format .*exe/,
      ],
      [
        "features that are none",
        (dir) => replaceListed(dir, join("features", animals, "000001.arrow"), Buffer.from("ARROW1 but no more")),
        /holds no features of this model pack/,
      ],
      [
        "an id that leads away",
        (dir) => relist(dir, (line) => line.replace(/"id":"ds_/, '"id":"../../ds_')),
        /id that is none/,
      ],
      [
        "pages that there are not",
        (dir) => relist(dir, (line) => line.replaceAll('"itemCount":3', '"itemCount":2')),
        /features of page 3|page 3 where/,
      ],
      [
        "a list that was changed",
        (dir) => change(join(dir, "datasets.jsonl"), (text) => text.replace("animals", "enemies")),
        /other bytes/,
      ],
      ["an export without its end", (dir) => rm(join(dir, "manifest.json")), /no finished export/],
      [
        "an older version of the format",
        (dir) => change(join(dir, "manifest.json"), (text) => text.replace('"version": 2', '"version": 1')),
        /has version 1 of its format, and this drs reads version 2; export the workspace again with a newer drs/,
      ],
      [
        "a newer version of the format",
        (dir) => change(join(dir, "manifest.json"), (text) => text.replace('"version": 2', '"version": 3')),
        /has version 3 of its format, and this drs reads version 2; import it with a newer drs/,
      ],
    ];
    test.each(hostile)("%s", async (name, spoil, said) => {
      const dir = join(folder, name.replaceAll(" ", "-"));
      await cp(join(folder, "whole"), dir, { recursive: true });
      await spoil(dir);
      const fresh = await drs.workspaces.create(`hostile-${name.replaceAll(" ", "-")}`);
      const { code, stderr } = await run(
        "import",
        dir,
        "--new-ids",
        "--json",
        "--data-dir",
        source.dataDir,
        "--workspace",
        fresh.id,
      );
      expect(stderr).toMatch(said);
      expect(code).toBe(1);
      const { key } = await drs.keys.create({ workspace: fresh.id, scopes: ["read"] });
      const seen = await datasetsOf(createDrs({ server: source.url, apiKey: key }));
      expect(seen.map(({ fileName }) => fileName)).not.toContain("animals.pdf");
    });
  });
});

const isWhole = async (drs: Drs): Promise<boolean> => (await drs.search("walrus")).incompleteDatasetIds.length === 0;

/** The bytes of the parts with a dataset's features, in order. */
async function partsOf({ dataDir }: TestServer, id: string): Promise<readonly Buffer[]> {
  const folder = join(dataDir, "blobs", "features", id);
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith(".arrow"));
  const parts = await Promise.all(paths.map((path) => readFile(join(folder, path))));
  return parts.toSorted(Buffer.compare);
}

async function datasetsOf(drs: Drs) {
  const found = [];
  for await (const { share: _, updatedAt: __, ...dataset } of drs.datasets.list()) found.push(dataset);
  return found.map(({ id, fileName, fileSize, itemCount, sha256, metadata }) => ({
    id,
    fileName,
    fileSize,
    itemCount,
    sha256,
    metadata,
  }));
}

async function change(path: string, how: (text: string) => string): Promise<void> {
  await writeFile(path, how(await readFile(path, "latin1")), "latin1");
}

async function swapForLink(path: string, elsewhere: string): Promise<void> {
  await rm(elsewhere, { recursive: true, force: true });
  await rename(path, elsewhere);
  await symlink(elsewhere, path);
}

/** Replaces a file, and what the list says of it. */
async function replaceListed(dir: string, path: string, bytes: Buffer): Promise<void> {
  const digest = (of: Buffer): string => createHash("sha256").update(of).digest("hex");
  const before = await readFile(join(dir, path));
  const entry = (of: Buffer): string => `"size":${of.length},"sha256":"${digest(of)}"`;
  await writeFile(join(dir, path), bytes);
  await relist(dir, (list) => list.replace(entry(before), entry(bytes)));
}

/** Changes the list of datasets, and its checksum with it. */
async function relist(dir: string, how: (text: string) => string): Promise<void> {
  const path = join(dir, "datasets.jsonl");
  await change(path, how);
  const bytes = await readFile(path);
  const list = { size: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
  const manifest = JSON.parse(await readFile(join(dir, "manifest.json"), "utf8")) as object;
  await writeFile(join(dir, "manifest.json"), JSON.stringify({ ...manifest, list }));
}
