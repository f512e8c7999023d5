import { readdirSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, parse } from "content-disposition";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newDatasetId, newJobId, newUploadKey } from "../../server/domain/ids.ts";
import { bodyOf, listAt, objectAt } from "../contract/answers.ts";
import type { Api } from "../contract/api.ts";
import { restApi } from "../contract/rest-api.ts";
import { rpcApi } from "../contract/rpc-api.ts";
import { file, type FileServer, startFileServer } from "../fixtures/file-server.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

const document = makePdf({ pages: [{ text: "A page with a strange name" }] });

/** Names that mean a path, a device, a header or another direction of writing somewhere. */
const names: readonly string[] = [
  "../../../../tmp/drs-escaped.pdf",
  "..\\..\\windows\\system32\\drs.pdf",
  "/etc/passwd",
  "C:\\autoexec.bat",
  "\\\\server\\share\\x.pdf",
  "a\0b.pdf",
  "..",
  ".",
  "...",
  " ",
  "CON",
  "nul.pdf",
  "COM1.pdf",
  ".htaccess",
  "-rf",
  "--version",
  "$(touch x).pdf",
  "`id`.pdf",
  'a"; filename="b.html',
  "a\r\nx-injected: yes\r\n\r\n<script>alert(1)</script>.pdf",
  "a\nset-cookie: x=y.pdf",
  "a;b=c,d.pdf",
  "%2e%2e%2f%00.pdf",
  "\u202efdp.exe",
  "a\u2066b\u2069.pdf",
  "\ufeffx.pdf",
  "\ud800.pdf",
  `${"x".repeat(900)}.pdf`,
  `${"\u{1f4a9}".repeat(200)}.pdf`,
  "<img src=x onerror=alert(1)>.pdf",
  "__proto__",
  "e\u0301.pdf",
];

let folder: string;
let server: TestServer;
let files: FileServer;
let rest: Api;

beforeAll(async () => {
  // A folder that drs makes by itself.
  folder = await mkdtemp(join(tmpdir(), "drs-files-"));
  server = await startServer({ urlAllow: "127.0.0.1", dataDir: join(folder, "data") });
  rest = restApi(server.url, server.credentials.apiKey);
  files = await startFileServer({
    // Whatever name the query asks for, as a server may say it.
    "/named": (response, _request, query) => {
      const header = create(query.get("name") ?? "", { fallback: false });
      file(document, { "content-disposition": header })(response, _request, query);
    },
  });
});
afterAll(async () => {
  await server.remove();
  await files.close();
  await rm(folder, { recursive: true, force: true });
});

/** The dataset that the job of an upload makes, when it is there. */
async function datasetOf(job: Record<string, unknown>): Promise<Record<string, unknown>> {
  await rest.watch(String(job["id"]));
  return objectAt(bodyOf(await rest.call("getDataset", { id: String(job["datasetId"]) })), "dataset");
}

/** The name is a name and no more, and no header of a link is anything but what it should be. How many links there are. */
async function harmlessLinks(dataset: Record<string, unknown>): Promise<number> {
  const name = String(dataset["fileName"]);
  expect(name).toMatch(/^[^\p{Cc}\p{Cf}\p{Cs}/\\]{1,255}$/u);
  expect(name).not.toMatch(/^\.+$/);
  const items = listAt(bodyOf(await rest.call("listItems", { datasetId: String(dataset["id"]), limit: 100 })), "data");
  const links = [dataset, ...items].map((resource) => Object(resource["share"])["url"]);
  for (const link of links) {
    const { status, headers, body } = await fetch(String(link));
    await body?.cancel();
    expect([status, headers.get("x-injected"), headers.get("set-cookie")]).toEqual([200, null, null]);
    const disposition = parse(headers.get("content-disposition") ?? "");
    expect(disposition.type).toBe("inline");
    expect(disposition.parameters["filename"]).not.toMatch(/[/\\\p{Cc}]/u);
    expect(headers.get("content-type")).toMatch(/^(?:application\/pdf|image\/jpeg)$/);
  }
  return links.length;
}

/** Links of a document with one page: to the document, to the page as PDF and as picture. */
const linksOfOnePage = 3;

describe("a document keeps only the last part of its name, without control characters", () => {
  test.each(names)("%j, over a form, over gRPC and in parts", async (name) => {
    const { apiKey } = server.credentials;
    const isWritable = name.isWellFormed() && name.length <= 1024;
    for (const api of isWritable ? [rest, rpcApi("gRPC", server.url, apiKey)] : [rest]) {
      const outcome = await api.upload("extract", { file: document, fileName: name });
      expect(await harmlessLinks(await datasetOf(objectAt(bodyOf(outcome), "job")))).toBe(linksOfOnePage);
    }
    const session = { fileExt: "pdf", fileType: "application/pdf", jobType: "extract" };
    const started = bodyOf(await rest.call("startUpload", { ...session, fileName: name.toWellFormed() }));
    const key = String(objectAt(started, "upload")["key"]);
    bodyOf(await rest.appendPart({ key, partNumber: 1, file: document }));
    expect(await harmlessLinks(await datasetOf(objectAt(bodyOf(await rest.call("endUpload", { key })), "job")))).toBe(
      linksOfOnePage,
    );
  });

  // Node writes no other characters into a header.
  test.each(names.filter((name) => /^[\x20-\x7e]*$/.test(name)))(
    "%j, from an address whose server says so",
    async (name) => {
      const url = `${files.url}/named?name=${encodeURIComponent(name)}`;
      expect(await harmlessLinks(await datasetOf(objectAt(bodyOf(await rest.upload("extract", { url })), "job")))).toBe(
        linksOfOnePage,
      );
    },
  );
});

test("no name has become a path: all files of the data folder have names that drs makes", () => {
  const inside = readdirSync(server.dataDir, { recursive: true, encoding: "utf8" });
  const known =
    /^(?:metadata\.sqlite(?:-\w+)?|reserve|(?:credentials|server)\.json|[\w.-]*lock[\w.-]*|vectors(?:\/.*)?|blobs(?:\/(?:tmp|temporary|parts|originals|converted|renditions)(?:\/.*)?)?)$/;
  expect(inside.filter((path) => !known.test(path))).toEqual([]);
  const blobs = inside.filter((path) => /^blobs\/(?:originals|renditions)\//.test(path));
  expect(blobs.length).toBeGreaterThan(names.length);
  const ours = /^blobs\/(?:originals|renditions)\/ds_[0-9a-z]{26}(?:\.[0-9a-v]{24}|\/\d+-\d+\.(?:pdf|jpg))?$/;
  expect(blobs.filter((path) => !ours.test(path))).toEqual([]);
  expect(readdirSync(folder)).toEqual(["data"]);
});

test("the folder and what is secret in it are their owner's only", () => {
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
  expect(modeOf(server.dataDir)).toBe("700");
  expect(modeOf(join(server.dataDir, "credentials.json"))).toBe("600");
});

describe("what a browser would run", () => {
  const script = "<script>alert(document.domain)</script>";
  test.each([
    ["a web page", `<!doctype html><html><body>${script}</body></html>`],
    ["a picture with a script", `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`],
    ["XML that is a picture", `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`],
    ["XHTML", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">${script}</html>`],
    ["a script", "alert(1)"],
    ["a style sheet", "body { background: url(javascript:alert(1)) }"],
  ])("%s is refused, whatever its name", async (_, text) => {
    for (const fileName of ["a.pdf", "a.html", "a.svg"]) {
      expect(await rest.upload("extract", { file: Buffer.from(text), fileName })).toMatchObject({
        ok: false,
        code: "INVALID_ARGUMENT",
      });
    }
  });

  test.each([
    ["before the PDF", Buffer.concat([Buffer.from(`<html>${script}<!--`), document])],
    [
      "within the PDF",
      Buffer.from(document.toString("latin1").replace("%PDF-1.7\n", `%PDF-1.7\n%${script}\n`), "latin1"),
    ],
    ["behind the PDF", Buffer.concat([document, Buffer.from(`--><html>${script}</html>`)])],
  ])("a web page %s is served as PDF, never as a page", async (_, bytes) => {
    const dataset = await datasetOf(
      objectAt(bodyOf(await rest.upload("extract", { file: bytes, fileName: "page.html" })), "job"),
    );
    for (const accept of ["*/*", "text/html", "application/xhtml+xml"]) {
      const { status, headers } = await fetch(String(Object(dataset["share"])["url"]), { headers: { accept } });
      expect(status).toBe(200);
      expect(headers.get("content-type")).toBe("application/pdf");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      // Without script-src or a default that allows any, no script runs even where the type is not minded.
      expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; /);
      expect(headers.get("content-security-policy")).not.toMatch(/script-src|unsafe-eval/);
    }
  });

  test("every answer forbids sniffing, scripts and frames, also where something is refused", async () => {
    for (const path of ["/v1/datasets", "/v1/share/x?token=x", "/v1/none", "/", "/healthz", "/v1/openapi.json"]) {
      const { headers } = await fetch(`${server.url}${path}`, { redirect: "manual" });
      expect([path, headers.get("x-content-type-options")]).toEqual([path, "nosniff"]);
      expect([path, headers.get("content-security-policy")]).toEqual([
        path,
        expect.stringMatching(/default-src 'none'/),
      ]);
      expect([path, headers.get("referrer-policy")]).toEqual([path, "no-referrer"]);
    }
  });

  test("what is echoed is JSON, so that a page in the address runs nowhere", async () => {
    const { headers } = await fetch(`${server.url}/v1/${encodeURIComponent(script)}`);
    expect(headers.get("content-type")).toBe("application/json");
  });
});

test.each([
  ["dataset", newDatasetId],
  ["job", newJobId],
  ["upload", newUploadKey],
])("%s ids cannot be guessed from others: their last 80 bits are random", (_, make) => {
  const tails = Array.from({ length: 20_000 }, () => make().slice(-16));
  expect(new Set(tails).size).toBe(tails.length);
  // Each of the 16 places has each of the 32 letters about equally often: 625 times, with a deviation of 25.
  for (let place = 0; place < 16; place++) {
    const counts = new Map<string, number>();
    for (const tail of tails) counts.set(tail.charAt(place), (counts.get(tail.charAt(place)) ?? 0) + 1);
    expect(counts.size).toBe(32);
    expect(Math.min(...counts.values())).toBeGreaterThan(450);
    expect(Math.max(...counts.values())).toBeLessThan(800);
  }
});
