import { createDrs, type Drs } from "@drs/client";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startCommand } from "../service/command.ts";
import { startServerProcess } from "../service/process.ts";

/** The moments, ms after the answer to the upload, at which server and worker are killed. */
const moments = [0, 100, 250, 500, 900, 1_500];

/** Versions have different numbers of pages and different words, of which no stemmer changes any. */
const versions = ["zqvermilionx", "zqcobaltx"].map((word, index) => {
  const pages = index === 0 ? 3 : 5;
  const texts = Array.from({ length: pages }, (_, page) => ({ text: `Page ${page + 1} is about ${word}.` }));
  return { word, pages, fileName: `${word}.pdf`, bytes: makePdf({ pages: texts }) };
});

async function connect(dataDir: string, url: string): Promise<Drs> {
  const { apiKey }: { apiKey: string } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8"));
  return createDrs({ server: url, apiKey });
}

/** Returns the served version. Fails unless all answers about the dataset agree on it. */
async function served(drs: Drs, id: string): Promise<number> {
  const page = await drs.items.page(id, { row: "jpg", sort: ["col"], limit: 100, include: ["text"] });
  const at = versions.findIndex(({ fileName }) => fileName === page.data[0]?.fileName);
  const version = versions[at];
  if (version === undefined) throw new Error(`nothing is served: ${JSON.stringify(page)}`);
  const { word, pages, fileName } = version;
  expect(page.total).toBe(pages);
  expect(
    page.data.map(({ col, pageCount, datasetId, fileName: name }) => ({ col, pageCount, datasetId, name })),
  ).toEqual(
    Array.from({ length: pages }, (_, index) => ({ col: index + 1, pageCount: pages, datasetId: id, name: fileName })),
  );
  for (const { text } of page.data) expect(text).toContain(word);
  return at;
}

/** All that a search finds is of the version. */
async function findsOnly(drs: Drs, id: string, version: number): Promise<void> {
  const { word, pages } = versions[version] ?? { word: "", pages: 0 };
  const hits = await drs.search(versions.map((one) => one.word).join(" "), { limit: 100, include: ["text"] });
  expect(
    hits
      .map(({ datasetId, col, text }) => ({ datasetId, col, isOfIt: text?.includes(word) }))
      .toSorted((one, other) => one.col - other.col),
  ).toEqual(Array.from({ length: pages }, (_, index) => ({ datasetId: id, col: index + 1, isOfIt: true })));
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has noticed by itself that its server is gone.
  }
}

test("a server that is killed while a new version is read serves the old one or the new one, whole", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "drs-versions-"));
  let server = await startServerProcess(dataDir);
  try {
    let drs = await connect(dataDir, server.url);
    const [first] = versions;
    if (first === undefined) throw new Error("there is no version");
    const { fileName } = first;
    const { id: jobId, datasetId: id } = await drs.datasets.upload(first.bytes, { fileName, vectorize: true });
    expect(await drs.jobs.wait(jobId)).toMatchObject({ status: "SUCCESS" });
    let now = 0;
    for (const moment of moments) {
      const next = 1 - now;
      const version = versions[next];
      if (version === undefined) throw new Error("there is no version");
      const job = await drs.datasets.replace(id, version.bytes, { fileName: version.fileName });
      const until = performance.now() + moment;
      while (performance.now() < until) expect([now, next]).toContain(await served(drs, id));
      const workers = server.workers();
      await server.kill();
      for (const pid of workers) kill(pid);
      server = await startServerProcess(dataDir);
      drs = await connect(dataDir, server.url);
      expect([now, next]).toContain(await served(drs, id));
      expect(await drs.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS", datasetId: id, failures: [] });
      expect(await served(drs, id)).toBe(next);
      await findsOnly(drs, id, next);
      expect((await drs.datasets.page({})).data.map(({ id: one }) => one)).toEqual([id]);
      now = next;
    }
    const { documents } = await drs.usage();
    expect(documents).toBe(1);
    // What the versions before had is removed, and what is left belongs together.
    let verdict = "";
    for (let tries = 0; tries < 60; tries++) {
      const outcome = await startCommand(["verify", "--json"], { DRS_DATA_DIR: dataDir }).outcome;
      verdict = outcome.stdout;
      if (!/"kind"/.test(verdict)) break;
      await sleep(1_000);
    }
    expect(verdict).not.toMatch(/"kind"/);
  } finally {
    await server.terminate();
    await rm(dataDir, { recursive: true, force: true });
  }
}, 600_000);

test("the command line gives a document a new version, and an export has the one that serves", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "drs-versions-cli-"));
  const env = { DRS_DATA_DIR: dataDir };
  const drs = (...words: string[]) => startCommand(words, env).outcome;
  try {
    const [one, two] = versions;
    if (one === undefined || two === undefined) throw new Error("there is no version");
    for (const { fileName, bytes } of versions) await writeFile(join(dataDir, fileName), bytes);
    expect(await drs("upload", join(dataDir, one.fileName))).toMatchObject({ code: 0 });
    const replaced = await drs(
      "datasets",
      "replace",
      one.fileName,
      join(dataDir, two.fileName),
      "--name",
      "report.pdf",
    );
    expect(replaced).toMatchObject({ code: 0, stdout: expect.stringMatching(/has its new version/) });
    const bad = join(dataDir, "bad.pdf");
    await writeFile(bad, "%PDF-1.7\nnothing else");
    expect(await drs("datasets", "replace", "report.pdf", bad)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/stays as it was/),
    });
    const list = async (): Promise<unknown> => JSON.parse((await drs("datasets", "list", "--json")).stdout);
    const before = await list();
    expect(before).toMatchObject({ total: 1, data: [{ fileName: "report.pdf", itemCount: two.pages }] });
    const archive = join(dataDir, "archive");
    expect(await drs("export", archive, "--workspace", "default")).toMatchObject({ code: 0 });
    expect(await drs("import", archive, "--workspace", "default")).toMatchObject({ code: 0 });
    expect(await list()).toMatchObject({ total: 1 });
    expect(await drs("datasets", "delete", "report.pdf", "--yes")).toMatchObject({ code: 0 });
    expect(await drs("import", archive, "--workspace", "default")).toMatchObject({ code: 0 });
    const [{ id }] = Object(before).data;
    expect(await list()).toMatchObject({ total: 1, data: [{ id, fileName: "report.pdf", itemCount: two.pages }] });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}, 300_000);
