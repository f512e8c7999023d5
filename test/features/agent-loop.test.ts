import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createDrs } from "@drs/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

const run = promisify(execFile);
const program = fileURLToPath(new URL("../../examples/agent-loop/main.ts", import.meta.url));
const drsCommand = fileURLToPath(new URL("../../cli/bin/drs.js", import.meta.url));

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  const drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  const bytes = makePdf({
    pages: [
      { text: "Recipes for bread" },
      { text: "The old lighthouse\nThe lighthouse was built by Anna Koch in 1911." },
    ],
  });
  const { id } = await drs.datasets.upload(bytes, { fileName: "coast.pdf", vectorize: true });
  expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS" });
});
afterAll(() => server.remove());

const question = "who built the lighthouse?";
const expected = "The lighthouse was built by Anna Koch in 1911. (coast.pdf, page 2)\n";

test("the example answers over HTTP", async () => {
  const env = { PATH: process.env["PATH"], DRS_SERVER: server.url, DRS_API_KEY: server.credentials.apiKey };
  const { stdout, stderr } = await run(process.execPath, [program, question], { env });
  expect(stdout).toBe(expected);
  expect(stderr).toMatch(/→ search_pages .*\n← [1-3] pictures\n→ get_pages /);
});

test("the example answers over a pipe", async () => {
  const env = {
    PATH: process.env["PATH"],
    DRS_DATA_DIR: server.dataDir,
    DRS_COMMAND: `${process.execPath} ${drsCommand} mcp`,
  };
  const { stdout } = await run(process.execPath, [program, question], { env });
  expect(stdout).toBe(expected);
});
