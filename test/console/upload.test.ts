import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { writeLargePdf } from "../fixtures/large-pdf.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { startServerProcess } from "../service/process.ts";
import { dropFiles } from "./drop.ts";
import { consoleOf, expectAccessible, inBrowser, show, startConsole, type TestConsole } from "./browser.ts";

let drs: TestConsole;
let folder: string;
/** 40 MB: five parts. */
let large: string;
beforeAll(async () => {
  [drs, folder] = await Promise.all([startConsole(), mkdtemp(join(tmpdir(), "drs-upload-"))]);
  large = join(folder, "large.pdf");
  await writeLargePdf(large, 40_000_000);
});
afterAll(async () => {
  await drs.close();
  await rm(folder, { recursive: true, force: true });
});

async function writePdf(name: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, makePdf({ pages: [{ text: name }] }));
  return path;
}

const chooser = (page: Page, button: string) => ({
  async set(files: readonly string[]): Promise<void> {
    const asked = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: button, exact: true }).press("Enter");
    await (await asked).setFiles([...files]);
  },
});

/** Lets so many parts through; later ones wait until the page is left. */
async function holdParts(page: Page, count: number): Promise<void> {
  let seen = 0;
  await page.route("**/v1/upload-session/append", async (route) => {
    seen += 1;
    if (seen <= count) await route.continue();
  });
}

inBrowser("three documents are uploaded, described as wished, and what is none is refused in words", async () => {
  const page = await drs.open("/upload");
  await page.getByRole("heading", { level: 1, name: "Upload" }).waitFor();
  await expectAccessible(page);
  await page.getByLabel("Make searchable").uncheck();
  await page.getByLabel("Metadata").fill("customer");
  await page.getByText("Write one a line, as customer=42.").waitFor();
  await page.getByLabel("Metadata").fill("customer=42\ntags=a\ntags=b");
  const text = join(folder, "notes.txt");
  await writeFile(text, "none");
  const false_ = join(folder, "false.pdf");
  await writeFile(false_, "This is no PDF.");
  const files = await Promise.all(["one.pdf", "two.pdf", "three.pdf"].map(writePdf));
  await chooser(page, "Choose files").set([...files, text, false_]);
  await page.getByText("notes.txt is no document that is read here").waitFor();
  await expect.poll(() => page.getByText("Uploaded", { exact: true }).count(), { timeout: 20_000 }).toBe(3);
  await page.getByText("Not uploaded", { exact: true }).waitFor();
  await expectAccessible(page);
  await show(page, "upload");
  const { data } = await drs.admin.datasets.page({ filter: { customer: 42, tags: { $contains: "b" } } });
  expect(data.map(({ fileName }) => fileName).toSorted()).toEqual(["one.pdf", "three.pdf", "two.pdf"]);
});

inBrowser("files that are dropped on the list are uploaded", async () => {
  const path = await writePdf("dropped.pdf");
  const page = await drs.open("/documents");
  await page.getByRole("link", { name: "Upload" }).first().waitFor();
  await dropFiles(page, page.locator("body"), [path], page.getByText("Drop to upload"));
  await page.getByRole("link", { name: "dropped.pdf" }).waitFor();
});

inBrowser("files that are dropped on any other view are uploaded, and lead to where that is seen", async () => {
  const path = await writePdf("anywhere.pdf");
  for (const view of ["/search?q=lighthouse", "/admin/usage"]) {
    const page = await drs.open(view);
    const heading = page.getByRole("main").getByRole("heading").first();
    await heading.waitFor({ state: "attached" });
    await page.getByRole("link", { name: "Administration" }).waitFor();
    await dropFiles(page, page.locator("body"), [path], page.getByText("Drop to upload"));
    await page.waitForURL(`${drs.url}/upload`);
    await page.getByText("Uploaded", { exact: true }).waitFor();
  }
  const { data } = await drs.admin.datasets.page({ limit: 100 });
  expect(data.filter(({ fileName }) => fileName === "anywhere.pdf")).toHaveLength(2);
});

inBrowser("a folder that is dropped is uploaded with its folders, but for what is no document", async () => {
  const shelf = join(folder, "shelf");
  await mkdir(join(shelf, "upper", "left"), { recursive: true });
  for (const name of ["shelf-1.pdf", "upper/shelf-2.pdf", "upper/left/shelf-3.pdf"]) {
    await writeFile(join(shelf, name), makePdf({ pages: [{ text: name }] }));
  }
  await writeFile(join(shelf, "upper", "notes.txt"), "none");
  const page = await drs.open("/upload");
  await page.getByRole("heading", { level: 1, name: "Upload" }).waitFor();
  await dropFiles(page, page.locator("body"), [shelf], page.getByText("Drop to upload"));
  await page.getByText("Files that are no documents were passed over: 1.").waitFor();
  await expect.poll(() => page.getByText("Uploaded", { exact: true }).count(), { timeout: 20_000 }).toBe(3);
  const { data } = await drs.admin.datasets.page({ limit: 100 });
  expect(
    data
      .map(({ fileName }) => fileName)
      .filter((name) => name.startsWith("shelf-"))
      .toSorted(),
  ).toEqual(["shelf-1.pdf", "shelf-2.pdf", "shelf-3.pdf"]);
});

inBrowser("an upload that a reload has interrupted goes on with the same file, from where it was", async () => {
  const page = await drs.open("/upload");
  await holdParts(page, 2);
  await chooser(page, "Choose files").set([large]);
  const session = async () => (await drs.admin.uploads.page()).data.find(({ fileName }) => fileName === "large.pdf");
  await expect.poll(async () => (await session())?.partCount, { timeout: 20_000 }).toBe(2);
  await show(page, "upload-sending");
  await page.reload();
  await page.getByText("Interrupted").waitFor();
  await expectAccessible(page);
  await show(page, "upload-interrupted");
  await page.unrouteAll();
  let parts = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/append")) parts += 1;
  });
  await chooser(page, "Choose the file").set([large]);
  await page.getByText("Uploaded", { exact: true }).waitFor();
  expect(parts).toBe(3);
  const { data } = await drs.admin.datasets.page({ sort: ["-fileSize"] });
  expect(data[0]).toMatchObject({ fileName: "large.pdf", fileSize: (await stat(large)).size });
  expect(data.filter(({ fileName }) => fileName === "large.pdf")).toHaveLength(1);
});

inBrowser("a file that was dropped, and may not be read again after a reload, is asked for", async () => {
  const page = await drs.open("/upload");
  await holdParts(page, 2);
  const dropped = join(folder, "dropped-large.pdf");
  await writeLargePdf(dropped, 40_000_000);
  await dropFiles(page, page.locator(".drop-target"), [dropped]);
  const session = async () => (await drs.admin.uploads.page()).data.find(({ fileName }) => /dropped-/.test(fileName));
  await expect.poll(async () => (await session())?.partCount, { timeout: 20_000 }).toBe(2);
  await page.reload();
  await page.getByText("Interrupted").waitFor();
  await page.unrouteAll();
  // A browser without a window asks nobody.
  await page.evaluate("FileSystemHandle.prototype.requestPermission = async () => 'denied'");
  await page.getByRole("button", { name: "Go on" }).press("Enter");
  await page.getByText("Choose the same file again to go on where it stopped.").waitFor();
  let parts = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/append")) parts += 1;
  });
  await chooser(page, "Choose the file").set([dropped]);
  await page.getByText("Uploaded", { exact: true }).waitFor();
  expect(parts).toBe(3);
});

inBrowser("an upload is paused, goes on, and is cancelled with what the service had of it", async () => {
  const page = await drs.open("/upload");
  await holdParts(page, 1);
  const other = join(folder, "other.pdf");
  await writeLargePdf(other, 30_000_000);
  await chooser(page, "Choose files").set([other]);
  const sessions = async () => (await drs.admin.uploads.page()).data.filter(({ fileName }) => fileName === "other.pdf");
  await expect.poll(async () => (await sessions())[0]?.partCount, { timeout: 20_000 }).toBe(1);
  await page.getByRole("button", { name: "Pause" }).press("Enter");
  await page.getByText("Paused", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Go on" }).press("Enter");
  await page.getByText("Sending", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Cancel the upload: other.pdf" }).press("Enter");
  await page.getByText("Sending", { exact: true }).waitFor({ state: "detached" });
  await expect.poll(sessions).toEqual([]);
});

inBrowser("an upload goes on by itself after the service was killed and started anew", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "drs-killed-"));
  const port = ["--port", String(await freePort())];
  const first = await startServerProcess(dataDir, port);
  const { apiKey } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8")) as { apiKey: string };
  let running = first;
  const remove = async (): Promise<void> => {
    await running.terminate();
    await rm(dataDir, { recursive: true, force: true });
  };
  const { url } = first;
  const console = consoleOf({ url, credentials: { apiKey }, remove }, { url, mayBeAway: true });
  const page = await console.open("/upload");
  await holdParts(page, 2);
  await chooser(page, "Choose files").set([large]);
  await expect.poll(async () => (await console.admin.uploads.page()).data[0]?.partCount, { timeout: 20_000 }).toBe(2);
  await first.kill();
  // What was held is lost with the service.
  await page.unrouteAll();
  await page.getByText("The service does not answer").waitFor();
  running = await startServerProcess(dataDir, port);
  await page.getByText("Uploaded", { exact: true }).waitFor();
  const { data } = await console.admin.datasets.page();
  expect(data).toMatchObject([{ fileName: "large.pdf", fileSize: (await stat(large)).size }]);
  await console.close();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
