import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

const client = fileURLToPath(new URL("../../clients/typescript", import.meta.url));

let server: TestServer;
let folder: string;
beforeAll(async () => {
  server = await startServer();
  folder = await mkdtemp(join(tmpdir(), "drs-examples-"));
});
afterAll(async () => {
  await server.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Returns the output of an example of the client, run as its readers would run it. */
async function run(example: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(client, "examples", example), ...args], {
    cwd: folder,
    env: { ...process.env, DRS_SERVER: server.url, DRS_API_KEY: server.credentials.apiKey },
  });
  return stdout;
}

test("the README shows the examples as they are", async () => {
  const readme = await readFile(join(client, "README.md"), "utf8");
  const examples = await readdir(join(client, "examples"));
  expect(examples).not.toEqual([]);
  for (const example of examples) {
    const code = await readFile(join(client, "examples", example), "utf8");
    expect(readme).toContain(`\`\`\`ts\n${code}\`\`\`\n`);
  }
});

test("search.ts uploads, waits and finds", async () => {
  const pages = ["Budget", "Heating of the old building", "Staff"].map((text) => ({ text }));
  await writeFile(join(folder, "minutes.pdf"), makePdf({ pages }));
  const lines = (await run("search.ts", ["minutes.pdf", "heating"])).trim().split("\n");
  expect(lines[0]).toMatch(/^0\.\d\d page 2 http:\/\/127\.0\.0\.1:\d+\/v1\/share\//);
});

test("large-upload.ts sends in parts and leaves no state behind, pages.ts gets the pages", async () => {
  const operators = `% ${randomBytes(52_000_000).toString("hex")}`;
  await writeFile(join(folder, "large.pdf"), makePdf({ pages: [{ text: "one" }, { text: "two", operators }] }));
  expect((await stat(join(folder, "large.pdf"))).size).toBeGreaterThan(99_000_000);
  const [datasetId = "", status] = (await run("large-upload.ts", ["large.pdf"])).trim().split(" ");
  expect(status).toBe("SUCCESS");
  expect(await readdir(folder)).not.toContain("large.pdf.upload.json");

  expect(await run("pages.ts", [datasetId, "1"])).toBe("page-1.jpg image/jpeg\n");
  expect((await readFile(join(folder, "page-1.jpg"))).subarray(0, 3).toString("hex")).toBe("ffd8ff");
  expect(await run("pages.ts", ["ds_00000000000000000000000000"])).toContain("there is no dataset");
});
