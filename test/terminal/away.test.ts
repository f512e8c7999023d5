import { createDrs } from "@drs/client";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { type ServerProcess, startServerProcess } from "../service/process.ts";
import { drs, hasTerminal, open, terminalReason } from "./screen.ts";

describe.skipIf(!hasTerminal)(`a server that goes away while a job is watched in a terminal${terminalReason}`, () => {
  let dataDir: string;
  let server: ServerProcess;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "drs-terminal-away-"));
    // Without a worker the job makes no progress on any machine.
    server = await startServerProcess(dataDir, ["--no-worker"]);
  });
  afterEach(async () => {
    await server.terminate();
    await rm(dataDir, { recursive: true, force: true });
  });

  test("is said to be away, and the bar goes on when it is back", async () => {
    const { apiKey: key }: { apiKey: string } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8"));
    const client = createDrs({ server: server.url, apiKey: key });
    const { id } = await client.datasets.upload(makePdf({ pages: [{ text: "one" }] }), { fileName: "one.pdf" });
    const env = { DRS_SERVER: server.url, DRS_API_KEY: key };
    await using screen = await open([...drs, "jobs", "watch", id], { env });
    await screen.waitFor(/one\.pdf.*waiting for a worker/);
    const { port } = new URL(server.url);
    await server.terminate();
    await screen.waitFor(/one\.pdf.*the server does not answer, trying again/);
    server = await startServerProcess(dataDir, ["--port", port]);
    expect(await screen.exitCode()).toBe(0);
    expect(screen.history()).toMatch(/✓ one\.pdf +1 page/);
  }, 120_000);
});
