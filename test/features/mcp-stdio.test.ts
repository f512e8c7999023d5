import { once } from "node:events";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readOwner, isLocked } from "../../server/storage/lock.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { compileCache } from "../service/compile-cache.ts";
import { startCommand } from "../service/command.ts";
import { callTool, eras, type McpCommand, startMcpCommand } from "../service/mcp.ts";
import { isRunning } from "../service/children.ts";
import { startServerProcess } from "../service/process.ts";

const report = makePdf({ pages: [{ text: "Minutes of the meeting about bridges" }, { text: "Costs of the steel" }] });

let folder: string;
let dataDir: string;
let env: Record<string, string>;
const started: McpCommand[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-mcp-"));
  dataDir = join(folder, "data");
  env = { DRS_DATA_DIR: dataDir, HOME: folder, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder, TMPDIR: folder };
  await mkdir(join(folder, "papers"));
  await Promise.all([
    writeFile(join(folder, "papers", "report.pdf"), report),
    writeFile(join(folder, "secret.pdf"), report),
    symlink(join(folder, "secret.pdf"), join(folder, "papers", "innocent.pdf")),
  ]);
});
afterEach(async () => {
  for (const { client } of started.splice(0)) await client.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

async function start(era: (typeof eras)[number], ...words: string[]): Promise<McpCommand> {
  const command = await startMcpCommand(era, words, env);
  started.push(command);
  return command;
}

test.each(eras)("adds a file, waits for its pages and finds them, where no server runs (%s era)", async (era) => {
  const { client, stderr } = await start(era, "--root", join(folder, "papers"));
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === "add_document")?.description).toMatch(/either path or url/);
  const heard: unknown[] = [];
  const added = await callTool(client, "add_document", { path: "report.pdf" });
  expect(added.said).toMatchObject({ jobId: expect.stringMatching(/^dsj_/), datasetId: expect.stringMatching(/^ds_/) });
  const { jobId } = added.said;
  const ended = await client.callTool(
    { name: "get_job", arguments: { jobId, waitSeconds: 45 } },
    { onprogress: (progress) => heard.push(progress), timeout: 60_000 },
  );
  expect(ended.structuredContent).toMatchObject({ status: "SUCCESS", pagesDone: 2 });
  const found = await callTool(client, "search_pages", { query: "meeting about bridges", limit: 2 });
  expect(found.said).toMatchObject({ found: 2, pages: [{ fileName: "report.pdf", page: 1 }, { page: 2 }] });
  expect(found.pictures).toHaveLength(2);
  expect(stderr()).toBe("");
});

test("refuses files that are not below its roots, also through links, and goes on", async () => {
  const { client } = await start("modern", "--root", join(folder, "papers"));
  for (const path of [
    "../secret.pdf",
    join(folder, "secret.pdf"),
    "innocent.pdf",
    "/etc/passwd",
    "/proc/self/environ",
  ]) {
    const { result, text } = await callTool(client, "add_document", { path });
    expect(result.isError, `of ${path}`).toBe(true);
    expect(text, `of ${path}`).toMatch(/not below a folder that drs may read/);
  }
  const both = await callTool(client, "add_document", { path: "report.pdf", url: "https://example.com/report.pdf" });
  expect(both.text).toMatch(/either path or url/);
  expect((await callTool(client, "list_documents")).said).toMatchObject({ total: 0 });
});

test("uses the server that has the folder, and another command's", async () => {
  const server = await startServerProcess(dataDir);
  try {
    const { client, stderr } = await start("modern", "--root", join(folder, "papers"));
    const { said } = await callTool(client, "add_document", { path: "report.pdf" });
    expect((await callTool(client, "get_job", { jobId: said["jobId"], waitSeconds: 45 })).said).toMatchObject({
      status: "SUCCESS",
    });
    expect((await callTool(client, "search_pages", { query: "steel" })).said["found"]).toBe(2);
    expect(readOwner(dataDir)?.kind).toBe("server");
    expect(stderr()).toBe("");
  } finally {
    await server.terminate();
  }
  const first = await start("legacy");
  expect((await callTool(first.client, "list_documents")).said["total"]).toBe(1);
  const second = await start("modern");
  expect((await callTool(second.client, "search_pages", { query: "steel" })).said["found"]).toBe(2);
  // The one that serves does not wait for the other, which goes on by itself.
  await first.client.close();
  expect((await callTool(second.client, "search_pages", { query: "steel" })).said["found"]).toBe(2);
  expect(readOwner(dataDir)?.pid).toBe(second.pid);
});

test("what stands in the way is told to the model, and tried again", async () => {
  env["DRS_LOCAL"] = "never";
  const { client, stderr } = await start("modern");
  const { result, said } = await callTool(client, "list_documents");
  expect(result.isError).toBe(true);
  expect(said["error"]).toMatch(/no server is running on the data folder .*drs serve/);
  expect(stderr()).toMatch(/no server is running/);
  const server = await startServerProcess(dataDir);
  try {
    expect((await callTool(client, "list_documents")).said["total"]).toBe(0);
  } finally {
    await server.terminate();
  }
});

const drs = fileURLToPath(new URL("../../cli/bin/drs.js", import.meta.url));

/** `drs mcp`, spoken to by hand. */
function speak() {
  const child = spawn(process.execPath, [drs, "mcp"], {
    env: { PATH: process.env["PATH"], ...compileCache, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (said += piece));
  child.stderr.resume();
  const ended = once(child, "close");
  return { child, ended, said: () => said, lines: () => said.split("\n").filter((line) => line !== "") };
}

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

test.each(["end", "SIGTERM", "SIGINT"] as const)("ends with %s, and leaves nothing behind", async (way) => {
  const { child, ended, lines } = speak();
  child.stdin.write(`${JSON.stringify(initialize)}\n`);
  await expect.poll(() => isLocked(dataDir) && readOwner(dataDir)?.address, { timeout: 30_000 }).toBeTruthy();
  await expect.poll(lines, { timeout: 30_000 }).toHaveLength(1);
  if (way === "end") child.stdin.end();
  else child.kill(way);
  expect(await ended).toEqual([0, null]);
  expect(isLocked(dataDir)).toBe(false);
  expect(isRunning(child.pid ?? 0)).toBe(false);
  // Nothing but messages.
  for (const line of lines()) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
});

test("goes on after lines that are no messages", async () => {
  const { child, ended, lines } = speak();
  for (const line of [
    "",
    "no JSON",
    "{",
    "[]",
    "null",
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":"1.0","id":1,"method":"x"}',
    "\0\xff",
  ]) {
    child.stdin.write(`${line}\n`);
  }
  child.stdin.write(`${JSON.stringify(initialize)}\n`);
  await expect.poll(() => lines().some((line) => line.includes("serverInfo")), { timeout: 30_000 }).toBe(true);
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
  for (const line of lines()) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
});

test("a root that is not a folder is a usage error", async () => {
  const { code, stdout, stderr } = await startCommand(["mcp", "--root", join(folder, "nowhere")], env).outcome;
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/nowhere is not a folder/);
});
