import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Job } from "@drs/client";
import { writeLargePdf } from "../../test/fixtures/large-pdf.ts";
import { runTool } from "../../test/service/tools.ts";
import type { Bench, Benchmark } from "../benchmark.ts";
import { missingTools, timeCommand } from "../measuring/command.ts";
import { cpuMs, hasProcfs, procfsReason, rssMb, watchLargest } from "../measuring/processes.ts";
import { median } from "../measuring/statistics.ts";
import { type Service, succeed, withService } from "../service/service.ts";

const fileMb = 2048;
const partsAtOnce = 4;
const rounds = 3;
const sampleEveryMs = 20;
const settleMs = 6_000;

export const sessions: Benchmark = {
  name: "sessions",
  title: `a ${fileMb / 1024} GB file through an upload session, client and service on this machine, against cp + sha256sum`,
  async run(bench) {
    const missing = hasProcfs ? missingTools("bash", "cp", "sha256sum", "sync") : procfsReason;
    if (missing !== undefined) return bench.report.skip("sessions", missing);
    const { folder, report } = bench;
    report.progress(`making a PDF of ${fileMb} MB`);
    const file = join(folder, "session.pdf");
    await writeLargePdf(file, fileMb * 2 ** 20);
    await withService({ folder }, (service) => compare(bench, service, file));
    await rm(file);
  },
};

interface Round {
  readonly cpMs: number;
  readonly sumMs: number;
  readonly uploadMs: number;
  readonly sentMs: number;
  readonly apiCpuMs: number;
  readonly clientCpuMs: number;
}

async function compare({ folder, report }: Bench, service: Service, file: string): Promise<void> {
  const { apiPid, drs } = service;
  const before = rssMb(apiPid);
  const memory = watchLargest(sampleEveryMs, () => rssMb(apiPid));
  const seen: Round[] = [];
  let peak = before;
  try {
    const sha256 = sumOf(file);
    for (let round = 1; round <= rounds; round++) {
      report.progress(`round ${round} of ${rounds}`);
      await settle();
      const peers = await runPeers(file, join(folder, "copy"));
      await settle();
      const { job, ...figures } = await send(service, file);
      seen.push({ ...peers, ...figures });
      await check(service, job, sha256);
      await drs.datasets.delete(job.datasetId);
    }
  } finally {
    peak = memory.stop();
  }

  const ratioOf = ({ cpMs, sumMs, uploadMs }: Round): number => (cpMs + sumMs) / uploadMs;
  const rateOf = (ms: number): number => fileMb / (ms / 1000);
  report.table(
    `${fileMb} MB, parts of 16 MiB, ${partsAtOnce} at once, the peers and drs by turns`,
    seen.map((round, index) => ({
      round: index + 1,
      "cp MB/s": rateOf(round.cpMs),
      "sha256sum MB/s": rateOf(round.sumMs),
      "both MB/s": rateOf(round.cpMs + round.sumMs),
      "drs MB/s": rateOf(round.uploadMs),
      "of it until all is sent, s": round.sentMs / 1000,
      "until the job is there, s": round.uploadMs / 1000,
      "drs / both": ratioOf(round),
      "API CPU ms/MB": round.apiCpuMs / fileMb,
      "client CPU ms/MB": round.clientCpuMs / fileMb,
    })),
  );
  report.table("memory of the API", [{ "RSS MB before": before, "RSS MB at most": peak }]);
  report.bar("time of the upload / cp + sha256sum, median", 1 / median(seen.map(ratioOf)), 1.67, "×");
  report.bar("API memory", peak, 250, "MB");
}

/**
 * Waits between runs, so that a run neither pays for writing back the dirty pages of the previous one nor profits from the memory
 * that it has just freed. A virtual machine returns free pages to its host after two seconds, and getting a new page from the
 * host costs many times more than reusing one.
 */
async function settle(): Promise<void> {
  await timeCommand(["sync"]);
  await sleep(settleMs);
}

async function runPeers(file: string, copy: string): Promise<Pick<Round, "cpMs" | "sumMs">> {
  const cp = await timeCommand(["cp", file, copy]);
  const sum = await timeCommand(["sha256sum", file]);
  await rm(copy);
  return { cpMs: cp.wallMs, sumMs: sum.wallMs };
}

/** Uploads the file. The time runs from the first read of the file until the service has assembled it and names the job. */
async function send(
  { drs, apiPid }: Service,
  file: string,
): Promise<{ job: Job } & Pick<Round, "uploadMs" | "sentMs" | "apiCpuMs" | "clientCpuMs">> {
  const { size } = await stat(file);
  const apiCpu = cpuMs(apiPid);
  const clientCpu = cpuMs(process.pid);
  const since = performance.now();
  let sentMs = 0;
  const job = await drs.datasets.upload(file, {
    partsAtOnce,
    onProgress({ sentBytes }) {
      if (sentBytes === size) sentMs = performance.now() - since;
    },
  });
  const uploadMs = performance.now() - since;
  return { job, uploadMs, sentMs, apiCpuMs: cpuMs(apiPid) - apiCpu, clientCpuMs: cpuMs(process.pid) - clientCpu };
}

/** Throws if the run has failed, so that it gives no figure. */
async function check({ drs, dataDir }: Service, job: Job, sha256: string): Promise<void> {
  await succeed(drs, job);
  const { itemCount, sha256: told } = await drs.datasets.get(job.datasetId);
  const stored = sumOf(join(dataDir, "blobs", "originals", job.datasetId));
  if (itemCount !== 1 || told !== sha256 || stored !== sha256) {
    throw new Error(`${sha256} was sent, ${stored} is stored with ${itemCount} pages, and drs reports ${told}`);
  }
}

const sumOf = (file: string): string => runTool("sha256sum", [file]).split(" ", 1)[0] ?? "";
