import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { createDrs, type Drs } from "@drs/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

const inParts = { singleRequestBytes: 0 } as const;
const documentOf = (text: string) => makePdf({ pages: [{ text }] });
const sumOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

let server: TestServer;
let drs: Drs;
beforeAll(async () => {
  server = await startServer();
  drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
});
afterAll(() => server.remove());

const copiesOf = async (file: Uint8Array): Promise<number> =>
  (await drs.datasets.page({ sha256: [sumOf(file)] })).total;

/** The answer to a form whose file is announced and never comes. */
async function answerWithoutFile(fields: Readonly<Record<string, string>>): Promise<{ status: number; body: string }> {
  const boundary = "never-ends";
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n`;
  return new Promise((resolve, reject) => {
    const sending = request(`${server.url}/v1/extract`, {
      method: "POST",
      headers: {
        "x-api-key": server.credentials.apiKey,
        "content-type": `multipart/form-data; boundary=${boundary}`,
        "content-length": 50_000_000,
      },
    });
    sending.once("error", reject);
    sending.once("response", (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => (body += text));
      response.once("end", () => {
        resolve({ status: response.statusCode ?? 0, body });
        sending.destroy();
      });
    });
    sending.write([...parts, file].join(""));
  });
}

test("the answer comes before any of the file has been sent", async () => {
  const file = documentOf("answered at once");
  const job = await drs.datasets.upload(file);
  const { status, body } = await answerWithoutFile({ ifExists: "return", sha256: sumOf(file) });
  expect(status).toBe(200);
  expect(JSON.parse(body)).toMatchObject({ success: true, data: { id: job.id, datasetId: job.datasetId } });
});

test("the client sends nothing that is there, in one request and in parts", async () => {
  const file = documentOf("by the client");
  const first = await drs.datasets.upload(file, { ifExists: "return" });
  const { id } = await drs.jobs.wait(first.id);
  const keys: string[] = [];
  for (const options of [{}, inParts])
    for (const source of [file, new Blob([file]), new Blob([file]).stream()]) {
      const onState = ({ key }: { key: string }) => keys.push(key);
      expect((await drs.datasets.upload(source, { ...options, ifExists: "return", onState })).id).toBe(id);
    }
  // No session was opened.
  expect(keys).toEqual([]);
  expect(await copiesOf(file)).toBe(1);
  await drs.datasets.upload(file, { ifExists: "create" });
  await drs.datasets.upload(file, { ...inParts, fileName: "a.pdf" });
  expect(await copiesOf(file)).toBe(3);
});

test("of a file that was sent for nothing no bytes are kept", async () => {
  const file = documentOf("sent for nothing");
  const originals = join(server.dataDir, "blobs", "originals");
  const { datasetId } = await drs.datasets.upload(file);
  const form = new FormData();
  form.set("file", new Blob([file]), "a.pdf");
  form.set("ifExists", "return");
  const headers = { "x-api-key": server.credentials.apiKey };
  const answer = await fetch(`${server.url}/v1/extract`, { method: "POST", headers, body: form });
  expect(await answer.json()).toMatchObject({ data: { datasetId } });
  const datasets = new Set<string>();
  for await (const { id } of drs.datasets.list()) datasets.add(id);
  await expect.poll(async () => new Set(await readdir(originals)), { timeout: 60_000 }).toEqual(datasets);
});
