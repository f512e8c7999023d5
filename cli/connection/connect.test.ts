import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "../../test/service/start.ts";
import { type Captured, runCaptured } from "../testing/run-captured.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.remove());

function list(...flags: string[]): Promise<Captured> {
  const env = { DRS_DATA_DIR: server.dataDir, XDG_CONFIG_HOME: server.dataDir };
  return runCaptured(["datasets", "list", "--json", ...flags], env);
}

test("the server of the data folder is found, and its key is for it by whichever name", async () => {
  const { port } = new URL(server.url);
  for (const flags of [[], ["--server", server.url], ["--server", `http://localhost:${port}/`]]) {
    expect(await list(...flags)).toMatchObject({ code: 0, stderr: "" });
  }
  const named = await runCaptured(["datasets", "list", "--data-dir", server.dataDir], { DRS_SERVER: "http://ignored" });
  expect(named.code).toBe(0);
});

test.each(["http://drs.example", "http://127.0.0.1:1"])("the key is not for %s", async (elsewhere) => {
  const { code, stderr } = await list("--server", elsewhere);
  expect(code).toBe(4);
  expect(stderr).toContain(`no API key for ${elsewhere}`);
});

test.each([
  ["drs.example", "write https://drs.example"],
  ["ftp://localhost", "is not the address of a server"],
  ["http://me:secret@localhost", "has more in it than scheme, host, port and path"],
  ["http://localhost/?key=secret", "has more in it than scheme, host, port and path"],
])("%s is no address", async (address, said) => {
  const { code, stderr } = await list("--server", address);
  expect(code).toBe(2);
  expect(stderr).toContain(said);
});

test("damaged credentials are said to be, and how to get others", async () => {
  await writeFile(join(server.dataDir, "credentials.json"), "{");
  const { code, stderr } = await list();
  expect(code).toBe(1);
  expect(stderr).toContain("is not JSON");
  expect(stderr).toContain("start the server again");
});
