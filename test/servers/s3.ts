import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./free-port.ts";
import { readS3Environment, type S3Environment } from "../../server/storage/s3/settings.ts";

/** The S3 server to test with, which `.ci/s3-server` builds. */
const binary = process.env["DRS_TEST_S3_SERVER"] ?? "";

export const hasS3Server = binary !== "";
/** Behind the title of a suite that needs one. */
export const s3Reason = hasS3Server ? "" : " (skipped: DRS_TEST_S3_SERVER names no S3 server, see .ci/s3-server)";

/** A real S3 server on a loopback port, with a folder of its own and one bucket. */
export interface S3Server {
  readonly url: string;
  readonly bucket: string;
  /** The variables by which drs reaches it; `endpoint`: instead of its own address, such as that of a proxy. */
  variables(endpoint?: string): Record<string, string>;
  environment(endpoint?: string): S3Environment;
  /** Breaks off what is under way; `start` takes up the same port and folder. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const startMs = 20_000;

export async function startS3Server(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), "drs-s3-"));
  const bucket = "drs-test";
  // A folder beneath that of the server is a bucket.
  await mkdir(join(folder, bucket));
  const [access, secret] = ["drs", randomBytes(16).toString("hex")];
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let running: ChildProcess | undefined;

  const server: S3Server = {
    url,
    bucket,
    variables: (endpoint = url) => ({
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: access,
      AWS_SECRET_ACCESS_KEY: secret,
    }),
    environment: (endpoint) => readS3Environment(server.variables(endpoint)),
    async kill() {
      if (running === undefined || running.exitCode !== null) return;
      const ended = once(running, "exit");
      running.kill("SIGKILL");
      await ended;
    },
    async start() {
      running = spawn(
        binary,
        ["--quiet", "--keep-alive", "--port", `127.0.0.1:${port}`, "--health", "/healthz", "posix", folder],
        { env: { ROOT_ACCESS_KEY: access, ROOT_SECRET_KEY: secret }, stdio: "ignore" },
      );
      await answers(`${url}/healthz`, running);
    },
    async stop() {
      await server.kill();
      await rm(folder, { recursive: true });
    },
  };
  await server.start();
  return server;
}

async function answers(url: string, process: ChildProcess): Promise<void> {
  for (const until = performance.now() + startMs; performance.now() < until; await sleep(50)) {
    if (process.exitCode !== null) break;
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok === true) return;
  }
  throw new Error(`the S3 server does not start: ${binary}`);
}
