import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDrs, type Drs, type Job } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { docxOfPages, pptxOfPages, xlsxOfPages } from "../fixtures/office-pages.ts";
import { type ServerProcess, startServerProcess } from "../service/process.ts";
import { hasTool, toolReason } from "../service/tools.ts";

interface Upload {
  readonly fileName: string;
  readonly file: Buffer<ArrayBuffer>;
  readonly pages: number;
}

/** Many times what is converted at a time. */
const count = 18;

/** One to three pages each, by turns a letter, a talk with a hidden slide, and a workbook with a sheet on each page. */
const uploads = Array.from({ length: count }, (_, index): Upload => {
  const pages = 1 + (Math.floor(index / 3) % 3);
  const texts = Array.from({ length: pages }, (_, page) => `Document ${index}, page ${page + 1}`);
  switch (index % 3) {
    case 0:
      return { fileName: `${index}.docx`, file: docxOfPages(texts), pages };
    case 1:
      return { fileName: `${index}.pptx`, file: pptxOfPages(texts), pages };
    default:
      return { fileName: `${index}.xlsx`, file: xlsxOfPages(texts), pages };
  }
});

/** Process ids that `pgrep` finds; none is its exit status 1. */
function find(...args: readonly string[]): readonly number[] {
  const { status, stdout, error } = spawnSync("pgrep", args, { encoding: "utf8" });
  if (error !== undefined || (status !== 0 && status !== 1)) throw new Error(`pgrep ${args.join(" ")} failed`);
  return stdout.split("\n").filter(Boolean).map(Number);
}

/** System LibreOffice is told its folder, which has the worker's id in its name; WASM is a child of the worker. */
const converters = {
  auto: (worker: number) => find("-f", `drs-convert-${worker}-`),
  wasm: (worker: number) => find("-P", String(worker), "-f", "convert/wasm/child"),
} as const;

const scratches = async (worker: number): Promise<string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith(`drs-convert-${worker}-`));

describe.each([
  { converter: "auto", needs: ["pgrep", "soffice"] },
  { converter: "wasm", needs: ["pgrep"] },
] as const)("many Office documents at once, --converter $converter", ({ converter, needs }) => {
  describe.skipIf(needs.some((name) => !hasTool(name)))(`wait for their turn${toolReason(...needs)}`, () => {
    let dataDir: string;
    let server: ServerProcess;
    let drs: Drs;
    let worker: number;
    let ended: readonly Job[];
    /** Every converter that was seen at work. */
    const seen = new Set<number>();
    const health: number[] = [];

    /** Looks at the service again and again until everything is converted. */
    async function watch(done: { readonly yet: boolean }): Promise<void> {
      while (!done.yet) {
        for (const pid of converters[converter](worker)) seen.add(pid);
        if (seen.size > 0) health.push((await fetch(`${server.url}/healthz`)).status);
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    }

    beforeAll(async () => {
      dataDir = await mkdtemp(join(tmpdir(), "drs-office-queue-"));
      server = await startServerProcess(dataDir, ["--converter", converter]);
      worker = await vi.waitUntil(() => server.workers()[0], { timeout: 60_000 });
      const { apiKey }: { apiKey: string } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8"));
      drs = createDrs({ server: server.url, apiKey });
      const done = { yet: false };
      const watching = watch(done);
      try {
        const jobs = await Promise.all(uploads.map(({ file, fileName }) => drs.datasets.upload(file, { fileName })));
        ended = await Promise.all(jobs.map(({ id }) => drs.jobs.wait(id)));
      } finally {
        done.yet = true;
        await watching;
      }
    }, 600_000);
    afterAll(async () => {
      await server.terminate();
      await rm(dataDir, { recursive: true, force: true });
    });

    test("all end in SUCCESS, with their pages", async () => {
      const ends = ended.map(({ status, statusText }, index) => `${uploads[index]?.fileName}: ${status} ${statusText}`);
      expect(ends.filter((end) => !end.endsWith(": SUCCESS "))).toEqual([]);
      const datasets = await Promise.all(ended.map(({ datasetId }) => drs.datasets.get(datasetId)));
      expect(datasets.map(({ fileName, itemCount }) => ({ fileName, itemCount }))).toEqual(
        uploads.map(({ fileName, pages }) => ({ fileName, itemCount: pages })),
      );
    });

    test("the API answers meanwhile", () => {
      expect(health.length).toBeGreaterThan(0);
      expect(new Set(health)).toEqual(new Set([200]));
    });

    test("one worker has done all of it, and no conversion leaves a folder behind", async () => {
      expect(server.workers()).toEqual([worker]);
      const folders = await scratches(worker);
      expect(folders).not.toEqual([]);
      const left = await Promise.all(folders.map((name) => readdir(join(tmpdir(), name), { recursive: true })));
      expect(left.flat().filter((path) => /(^|\/)job-/.test(path))).toEqual([]);
    });

    // WASM may stay, warm for the next document.
    test("no system LibreOffice is there when there is nothing to convert", async () => {
      await expect.poll(() => converters.auto(worker), { timeout: 10_000 }).toEqual([]);
    });

    test("nothing outlives the server", async () => {
      expect(seen.size).toBeGreaterThan(0);
      for (const pid of converters[converter](worker)) seen.add(pid);
      expect(await server.terminate()).toBe(0);
      await expect.poll(() => [...seen].filter(isAlive), { timeout: 10_000 }).toEqual([]);
      expect(converters.auto(worker)).toEqual([]);
      expect(await scratches(worker)).toEqual([]);
    });
  });
});

/** Also true of a process id that has been given to another process since, which takes far longer than the test. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
