import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { open, rm } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Bench, Benchmark } from "../benchmark.ts";
import { missingTools } from "../measuring/command.ts";
import { cpuMs, hasProcfs, peakRssMb, procfsReason, rssMb } from "../measuring/processes.ts";
import { median } from "../measuring/statistics.ts";
import { type Service, withService } from "../service/service.ts";

const fileMb = 90;
const hugeMb = 1024;
const rounds = 5;
const storingSink = "Node sink, SHA-256 + file + fsync";

export const upload: Benchmark = {
  name: "upload",
  title: "throughput of an upload over REST against bare Node servers; memory of the API while 1 GB comes in",
  async run(bench) {
    const missing = hasProcfs ? missingTools("curl") : procfsReason;
    if (missing !== undefined) return bench.report.skip("upload", missing);
    // No worker: the benchmark "pages" measures the cost of jobs.
    const flags = ["--no-worker", "--max-upload-bytes", "2GB"];
    await withService({ folder: bench.folder, flags }, async (service) => {
      await throughput(bench, service);
      await memoryOfHugeUpload(bench, service);
    });
  },
};

/** The address that a file is sent to, and the process that receives it. */
interface Target {
  readonly name: string;
  readonly url: string;
  readonly headers: readonly string[];
  readonly pid: number;
}

async function throughput({ folder, report }: Bench, service: Service): Promise<void> {
  const file = await writeDocument(join(folder, "large.pdf"), fileMb);
  const sinks = [await startSink("discard"), await startSink("store", folder)] as const;
  const targets: readonly Target[] = [
    restTarget(service),
    { name: "Node sink, discards", ...sinks[0], headers: [] },
    { name: storingSink, ...sinks[1], headers: [] },
  ];
  const seen = new Map(targets.map(({ name }) => [name, { seconds: [] as number[], cpu: [] as number[] }]));
  report.progress(`${rounds} rounds of ${fileMb} MB`);
  for (let round = 1; round <= rounds; round++) {
    for (const target of targets) {
      const before = cpuMs(target.pid);
      seen.get(target.name)?.seconds.push(await send(target, file));
      seen.get(target.name)?.cpu.push(cpuMs(target.pid) - before);
    }
  }
  for (const { process } of sinks) await end(process);
  await rm(file);

  const rateOf = (name: string): number => fileMb / median(seen.get(name)?.seconds ?? []);
  const drs = rateOf("drs");
  report.table(
    `curl sends ${fileMb} MB as multipart/form-data, ${rounds} rounds, medians`,
    targets.map(({ name }) => ({
      to: name,
      "MB/s": rateOf(name),
      "drs / it": drs / rateOf(name),
      "server CPU ms/MB": median(seen.get(name)?.cpu ?? []) / fileMb,
    })),
  );
}

async function memoryOfHugeUpload({ folder, report }: Bench, service: Service): Promise<void> {
  const file = await writeDocument(join(folder, "huge.pdf"), hugeMb);
  const sink = await startSink("store", folder);
  const before = rssMb(service.apiPid);
  report.progress(`${hugeMb} MB`);
  const seconds = await send(restTarget(service), file);
  await send({ ...sink, name: storingSink, headers: [] }, file);
  // Peaks since the processes started, so that nothing between two samples is missed.
  const peak = peakRssMb(service.apiPid);
  const peerPeak = peakRssMb(sink.pid);
  await end(sink.process);
  await rm(file);
  report.table(`curl sends ${hugeMb} MB; the peer is the ${storingSink}`, [
    {
      "MB/s": hugeMb / seconds,
      "API RSS MB before": before,
      "API RSS MB at most": peak,
      "peer RSS MB at most": peerPeak,
      "API / peer": peak / peerPeak,
    },
  ]);
  report.bar(`API memory while ${hugeMb} MB come in`, peak, 300, "MB");
}

function restTarget({ url, apiKey, apiPid }: Service): Target {
  return { name: "drs", url: `${url}/v1/extract`, headers: ["-H", `x-api-key: ${apiKey}`], pid: apiPid };
}

/** Seconds from the first byte sent to the answer. */
async function send({ url, headers }: Target, file: string): Promise<number> {
  const told = ["-sS", "-o", join(file, "..", "answer"), "-w", "%{http_code} %{time_total}"];
  const { stdout } = await promisify(execFile)("curl", [...told, ...headers, "-F", `file=@${file}`, url]);
  const [status, seconds] = stdout.split(" ").map(Number);
  if (status !== 200 || seconds === undefined) throw new Error(`${url} answered an upload with ${stdout}`);
  return seconds;
}

/** Writes a file that begins like a PDF, which is all that an upload checks. The rest cannot be compressed. */
async function writeDocument(path: string, megabytes: number): Promise<string> {
  const block = randomBytes(2 ** 20);
  const file = await open(path, "w");
  for (let index = 0; index < megabytes; index++) {
    if (index === 0) await file.write(Buffer.concat([Buffer.from("%PDF-1.7\n"), block.subarray(9)]));
    else await file.write(block);
  }
  await file.close();
  return path;
}

async function startSink(...args: readonly string[]): Promise<{ url: string; pid: number; process: ChildProcess }> {
  const path = fileURLToPath(new URL(`../peers/sink${extname(import.meta.url)}`, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const [line]: unknown[] = await once(child.stdout, "data");
  if (child.pid === undefined) throw new Error("the sink did not start");
  return { url: `http://127.0.0.1:${String(line).trim()}/`, pid: child.pid, process: child };
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.stdin?.end();
  await ended;
}
