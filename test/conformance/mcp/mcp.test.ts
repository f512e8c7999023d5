import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createDrs } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../../fixtures/pdf.ts";
import { knownVariables } from "../../service/shared-stores.ts";
import { startServer, type TestServer } from "../../service/start.ts";
import { bridgePipe } from "./pipe-bridge.ts";

const run = promisify(execFile);
const folder = process.env["DRS_TEST_MCP"] ?? "";
const reason = folder === "" ? " (skipped: .ci/mcp-tools FOLDER installs it; name it in DRS_TEST_MCP)" : "";
const packages = join(folder, "node_modules", "@modelcontextprotocol");
const suite = join(packages, "conformance", "dist", "index.js");
const inspector = join(packages, "inspector", "clients", "launcher", "build", "index.js");
const drs = fileURLToPath(new URL("../../../cli/bin/drs.js", import.meta.url));

describe.skipIf(folder === "")(`the protocol's own programs${reason}`, () => {
  let server: TestServer;
  let datasetId: string;
  let proxyUrl: string;

  /** The suite has no way to send a key. */
  const proxy = createServer((asked, answer) => {
    const { hostname, port } = new URL(server.url);
    const headers = { ...asked.headers, "x-api-key": server.credentials.apiKey };
    const passed = request({ hostname, port, method: asked.method, path: asked.url, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 500, answered.headers);
      answered.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    answer.on("close", () => passed.destroy());
    asked.pipe(passed);
  });

  beforeAll(async () => {
    expect(existsSync(suite)).toBe(true);
    server = await startServer();
    const client = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    const job = await client.datasets.upload(makePdf({ pages: [{ text: "A page for the inspector" }] }), {
      fileName: "page.pdf",
      vectorize: true,
    });
    ({ datasetId } = await client.jobs.wait(job.id));
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
  });
  afterAll(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await server.remove();
  });

  const conform = async (url: string, revision: string, expected: string): Promise<string> => {
    const file = fileURLToPath(new URL(`expected-failures-${expected}.yaml`, import.meta.url));
    const words = ["server", "--url", url, "--requirements", revision, "--expected-failures", file];
    const { stdout } = await run(process.execPath, [suite, ...words], { maxBuffer: 2 ** 26 });
    expect(stdout).toMatch(/✓ tools-list: \d+ passed, 0 failed/);
    return stdout;
  };

  test.each(["2025-11-25", "2026-07-28"])(
    "the conformance suite fails nothing of %s over HTTP but what is expected",
    { timeout: 300_000 },
    async (revision) => {
      const told = await conform(proxyUrl, revision, revision);
      expect(told).toMatch(/✓ dns-rebinding-protection: \d+ passed, 0 failed/);
    },
  );

  test.each(["2025-11-25", "2026-07-28"])(
    "the conformance suite fails nothing of %s over a pipe but what is expected",
    { timeout: 600_000 },
    async (revision) => {
      const { PATH = "" } = process.env;
      const env = { PATH, ...knownVariables(server.dataDir), DRS_DATA_DIR: server.dataDir };
      const bridge = await bridgePipe([process.execPath, drs, "mcp"], env);
      try {
        const told = await conform(bridge.url, revision, `${revision}-pipe`);
        expect(told).toMatch(/✓ resources-list: \d+ passed, 0 failed/);
        expect(told).toMatch(/✓ prompts-list: \d+ passed, 0 failed/);
      } finally {
        await bridge.close();
      }
    },
  );

  const inspect = async (target: readonly string[], ...words: string[]): Promise<Record<string, unknown>> => {
    const { stdout } = await run(process.execPath, [inspector, "--cli", ...target, ...words], {
      maxBuffer: 2 ** 24,
    });
    return JSON.parse(stdout);
  };

  test.each(["a pipe", "HTTP"])(
    "the inspector lists, calls and gets pictures over %s",
    { timeout: 120_000 },
    async (way) => {
      const target =
        way === "HTTP"
          ? [`${server.url}/mcp`, "--transport", "http", "--header", `x-api-key: ${server.credentials.apiKey}`]
          : ["-e", `DRS_DATA_DIR=${server.dataDir}`, process.execPath, drs, "mcp"];
      const { tools } = await inspect(target, "--method", "tools/list");
      expect((tools as readonly unknown[]).length).toBe(5);
      const call = ["--method", "tools/call", "--tool-name", "get_pages", "--tool-arg", `datasetId=${datasetId}`];
      const { content } = await inspect(target, ...call, "pages=1");
      expect(content).toMatchObject([{ type: "text" }, { type: "text" }, { type: "image", mimeType: "image/jpeg" }]);
    },
  );
});
