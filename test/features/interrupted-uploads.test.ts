import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createDrs, type Drs, type Job, type UploadState } from "@drs/client";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createRandom } from "../../bench/measuring/random.ts";
import { writeLargePdf } from "../fixtures/large-pdf.ts";
import { type CountingProxy, startCountingProxy } from "../service/counting-proxy.ts";
import { type ServerProcess, startServerProcess } from "../service/process.ts";

const fileBytes = 150 * 2 ** 20;
const partBytes = 5 * 2 ** 20;
const partsAtOnce = 4;
/** Heads of requests, fields of forms, questions for the session. */
const overheadBytes = 2 ** 20;

const child = fileURLToPath(new URL("./interrupted-uploads/upload-in-parts.ts", import.meta.url));

/** Seed of the moments to kill at; every run has another, and a failing test prints it. */
const seed = Math.floor(Math.random() * 2 ** 32);

describe(`an upload in parts (seed ${seed})`, () => {
  let folder: string;
  let file: string;
  let size: number;
  let sha256: string;
  let dataDir: string;
  let statePath: string;
  let server: ServerProcess;
  let proxy: CountingProxy;
  let apiKey: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "drs-interrupted-"));
    file = join(folder, "large.pdf");
    await writeLargePdf(file, fileBytes);
    ({ size } = await stat(file));
    sha256 = await sha256Of(file);
  }, 60_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  beforeEach(async () => {
    dataDir = await mkdtemp(join(folder, "data-"));
    statePath = join(dataDir, "state.json");
    server = await startServerProcess(dataDir);
    proxy = await startCountingProxy(new URL(server.url));
    ({ apiKey } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8")));
  });
  afterEach(async () => {
    await proxy.close();
    await server.terminate();
    await rm(dataDir, { recursive: true, force: true });
  });

  function startClient() {
    const args = [child, proxy.url, file, statePath, String(partBytes), String(partsAtOnce)];
    const env = { ...process.env, DRS_API_KEY: apiKey };
    const client = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    const said = text(client.stdout);
    const exited = once(client, "exit");
    return {
      /** The job that it ended with. */
      async job(): Promise<Job> {
        const [code] = await exited;
        expect(code).toBe(0);
        return JSON.parse(await said);
      },
      /** True if it was still at work. */
      async kill(): Promise<boolean> {
        client.kill("SIGKILL");
        await exited;
        return client.signalCode === "SIGKILL";
      },
    };
  }

  const savedState = async (): Promise<UploadState> => JSON.parse(await readFile(statePath, "utf8"));

  /** The document is there, once, byte by byte, and nothing else is. */
  async function expectWhole(started: Job): Promise<void> {
    const drs: Drs = createDrs({ server: server.url, apiKey });
    expect(await drs.jobs.wait(started.id)).toMatchObject({ status: "SUCCESS", failures: [] });
    const datasets = await Array.fromAsync(drs.datasets.list());
    expect(datasets).toMatchObject([{ id: started.datasetId, sha256, itemCount: 1 }]);
    const blobs = join(dataDir, "blobs");
    expect(await readdir(join(blobs, "originals"))).toEqual([started.datasetId]);
    expect(await sha256Of(join(blobs, "originals", started.datasetId))).toBe(sha256);
    expect(await Array.fromAsync(drs.uploads.list())).toEqual([]);
    await expect.poll(() => filesIn(join(blobs, "parts")), { timeout: 20_000 }).toEqual([]);
    await expect.poll(() => filesIn(join(blobs, "tmp")), { timeout: 20_000 }).toEqual([]);
  }

  test("whose client is killed five times goes on where it stopped, and sends hardly more than the file", async () => {
    const keys = new Set<string>();
    let killed = 0;
    for (const fraction of randomFractions(5)) {
      const client = startClient();
      await proxy.reached(fraction * size);
      killed += (await client.kill()) ? 1 : 0;
      keys.add((await savedState()).key);
    }
    const job = await startClient().job();

    expect(killed).toBe(5);
    expect(keys.size).toBe(1);
    expect(proxy.sentBytes()).toBeGreaterThan(size);
    expect(proxy.sentBytes()).toBeLessThan(size + 5 * partsAtOnce * partBytes + overheadBytes);
    await expectWhole(job);
  }, 180_000);

  test("whose server is killed three times completes without starting over", async () => {
    const { port } = new URL(server.url);
    const uploading = startClient().job();
    for (const fraction of randomFractions(3)) {
      await Promise.race([proxy.reached(fraction * size), uploading]);
      await server.kill();
      await sleep(100);
      server = await startServerProcess(dataDir, ["--port", port]);
    }
    const job = await uploading;

    expect(proxy.sentBytes()).toBeGreaterThan(size);
    expect(proxy.sentBytes()).toBeLessThan(size + 3 * partsAtOnce * partBytes + overheadBytes);
    expect((await savedState()).parts).toHaveLength(Math.ceil(size / partBytes));
    await expectWhole(job);
  }, 180_000);
});

/** Places on the way, in order: neither before the session is open nor so late that the upload may be over. */
function randomFractions(count: number): number[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => 0.1 + 0.8 * random()).sort((one, other) => one - other);
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), hash);
  return hash.digest("hex");
}

const filesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
