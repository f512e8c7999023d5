import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createDrs, type Drs, type Job } from "@drs/client";
import { makePdf } from "../../test/fixtures/pdf.ts";
import { corpusFile, corpusReason, hasCorpus } from "../../test/service/corpus.ts";
import { startServerProcess } from "../../test/service/process.ts";
import { cpuMs } from "../measuring/processes.ts";

/** A service in separate processes, with functions to measure it. */
export interface Service {
  readonly url: string;
  readonly apiKey: string;
  readonly workspaceId: string;
  readonly dataDir: string;
  readonly drs: Drs;
  readonly apiPid: number;
  readonly workerPid: number;
  /** CPU of API and worker so far, milliseconds. Linux only. */
  cpuMs(): number;
}

interface Options {
  /** The parent of temporary folders. */
  readonly folder: string;
  /** Flags of `drs serve`. */
  readonly flags?: readonly string[];
  /** A data folder to keep; without it the service gets a temporary one. */
  readonly dataDir?: string;
  /** Variables added to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

const readyWithinMs = 60_000;

/** Starts a service, waits until it is ready, and stops it when the work is done. */
export async function withService<Result>(
  { folder, flags = [], dataDir: kept, env = {} }: Options,
  work: (service: Service) => Promise<Result>,
): Promise<Result> {
  const dataDir = kept ?? (await mkdtemp(join(folder, "data-")));
  const server = await startServerProcess(dataDir, flags, env);
  // Kills the service if the benchmark exits early; the workers of the service then end by themselves.
  const kill = (): void => void process.kill(server.pid, "SIGKILL");
  process.once("exit", kill);
  try {
    await untilReady(server.url);
    const [workerPid] = server.workers();
    if (workerPid === undefined) throw new Error("the service has no worker process");
    const credentials = await readCredentials(dataDir);
    return await work({
      ...credentials,
      url: server.url,
      dataDir,
      drs: createDrs({ server: server.url, apiKey: credentials.apiKey }),
      apiPid: server.pid,
      workerPid,
      cpuMs: () => cpuMs(server.pid) + cpuMs(workerPid),
    });
  } finally {
    process.off("exit", kill);
    await server.terminate();
    if (kept === undefined) await rm(dataDir, { recursive: true, force: true });
  }
}

/** Waits for a job that must succeed on every page. */
export async function succeed(drs: Drs, job: Job): Promise<Job> {
  const finished = await drs.jobs.wait(job.id);
  if (finished.status === "SUCCESS" && finished.failures.length === 0) return finished;
  throw new Error(`the job ended as ${finished.status}: ${finished.statusText}`);
}

async function untilReady(url: string): Promise<void> {
  const since = performance.now();
  for (;;) {
    const answer = await fetch(`${url}/readyz`);
    const body = await answer.text();
    if (answer.ok) return;
    if (performance.now() - since > readyWithinMs) throw new Error(`the service is not ready: ${body}`);
    await sleep(50);
  }
}

async function readCredentials(dataDir: string): Promise<{ apiKey: string; workspaceId: string }> {
  const { apiKey, workspaceId }: { apiKey: string; workspaceId: string } = JSON.parse(
    await readFile(join(dataDir, "credentials.json"), "utf8"),
  );
  return { apiKey, workspaceId };
}

/** Returns the bytes of all files below a folder; 0 if it is missing. Files deleted meanwhile do not count. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(({ parentPath, name }) =>
      stat(join(parentPath, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Real documents are not part of the repository. */
export const missingCorpus = hasCorpus ? undefined : corpusReason.replace(/^ \(skipped: |\)$/g, "");

export const pdfOf = (name: string): string => corpusFile(`pdf/${name}.pdf`);

/** Enough pages to give work to every thread. */
const warmUpPages = 64;

/** Extracts a small document, so that the worker's threads are running when the measurement begins. */
export async function warmUp({ drs }: Service): Promise<void> {
  const pages = Array.from({ length: warmUpPages }, (_, index) => ({ text: `Page ${index + 1}` }));
  const job = await drs.datasets.upload(makePdf({ pages }), { fileName: "warm-up.pdf" });
  await succeed(drs, job);
  await drs.datasets.delete(job.datasetId);
}
