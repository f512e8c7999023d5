import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { samples } from "../../cli/samples/samples.ts";
import { file, startFileServer } from "../fixtures/file-server.ts";
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
  [drs, folder] = await Promise.all([startConsole({ urlAllow: "127.0.0.1" }), mkdtemp(join(tmpdir(), "drs-upload-"))]);
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

const uploadsOf = (page: Page) => page.getByRole("list", { name: "Uploads" });

/** The row of an upload. */
const rowOf = (page: Page, name: string) => uploadsOf(page).locator(".upload").filter({ hasText: name });

/** The links of documents that have arrived, in the list of uploads. */
const stored = (page: Page, name?: string) => uploadsOf(page).getByRole("link", name === undefined ? {} : { name });

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
  await page.getByText("Write one per line, such as customer=42.").waitFor();
  await page.getByLabel("Metadata").fill("customer=42\ntags=a\ntags=b");
  const text = join(folder, "notes.txt");
  await writeFile(text, "none");
  const false_ = join(folder, "false.pdf");
  await writeFile(false_, "This is no PDF.");
  const files = await Promise.all(["one.pdf", "two.pdf", "three.pdf"].map(writePdf));
  await chooser(page, "Choose files").set([...files, text, false_]);
  await page.getByText("notes.txt is not a supported document").waitFor();
  const ready = uploadsOf(page).getByText("Ready", { exact: true });
  await expect.poll(() => ready.count(), { timeout: 60_000 }).toBe(3);
  await page.getByText("Not uploaded", { exact: true }).waitFor();
  await expectAccessible(page);
  await show(page, "upload");
  const { data } = await drs.admin.datasets.page({ filter: { customer: 42, tags: { $contains: "b" } } });
  expect(data.map(({ fileName }) => fileName).toSorted()).toEqual(["one.pdf", "three.pdf", "two.pdf"]);
});

inBrowser("the service fetches a document by its address, and what is no address of the web is not sent", async () => {
  const bytes = makePdf({ pages: [{ text: "Lanterns" }] });
  const files = await startFileServer({ "/lanterns.pdf": file(bytes) });
  try {
    const page = await drs.open("/upload");
    const address = page.getByLabel("Address of a document");
    for (const wrong of ["javascript:alert(1)", "file:///etc/passwd", "lanterns.pdf"]) {
      await address.fill(wrong);
      await address.press("Enter");
      await page.getByText("Write a full address, such as https://example.com/report.pdf.").waitFor();
    }
    expect(files.requests).toHaveLength(0);
    await address.fill(`${files.url}/lanterns.pdf`);
    await address.press("Enter");
    await page.getByRole("heading", { level: 1, name: "lanterns.pdf" }).waitFor();
    expect(files.requests).toHaveLength(1);
  } finally {
    await files.close();
  }
});

inBrowser("a row goes from sending to what became of its document, and says the same after a reload", async () => {
  const page = await drs.open("/upload");
  await page.getByRole("heading", { level: 1, name: "Upload" }).waitFor();
  const refused = join(folder, "refused.pdf");
  await writeFile(refused, "This is no PDF.");
  // Begins and ends as one, so that only its job finds out.
  const damaged = join(folder, "damaged.pdf");
  await writeFile(damaged, `%PDF-1.7\n${"no objects at all\n".repeat(200)}%%EOF\n`);
  await chooser(page, "Choose files").set([await writePdf("whole.pdf"), refused, damaged]);
  const expectRows = async (): Promise<void> => {
    await rowOf(page, "whole.pdf").getByText("Searchable", { exact: true }).waitFor({ timeout: 120_000 });
    await rowOf(page, "damaged.pdf").getByText("Failed", { exact: true }).waitFor({ timeout: 60_000 });
    await rowOf(page, "damaged.pdf")
      .locator(".upload-error")
      .getByText(/damaged|PDF/)
      .waitFor();
    await rowOf(page, "refused.pdf").getByText("Not uploaded", { exact: true }).waitFor();
    await rowOf(page, "refused.pdf").locator(".upload-error").getByText(/PDF/).waitFor();
    expect(await stored(page).allTextContents()).toEqual(expect.arrayContaining(["whole.pdf", "damaged.pdf"]));
    expect(await stored(page, "refused.pdf").count()).toBe(0);
  };
  await expectRows();
  const reason = await rowOf(page, "refused.pdf").locator(".upload-error").textContent();
  await page.reload();
  await expectRows();
  expect(await rowOf(page, "refused.pdf").locator(".upload-error").textContent()).toBe(reason);
  await expectAccessible(page);
  await show(page, "upload-rows");
  await stored(page, "whole.pdf").click();
  await page.getByRole("heading", { level: 1, name: "whole.pdf" }).waitFor();

  // A document that is deleted leaves no link to nowhere.
  const { data } = await drs.admin.datasets.page({ limit: 100 });
  const whole = data.find(({ fileName }) => fileName === "whole.pdf");
  await drs.admin.datasets.delete(whole?.id ?? "");
  await page.goto(`${drs.url}/upload`);
  await rowOf(page, "whole.pdf").getByText("Deleted meanwhile").waitFor();
  expect(await stored(page, "whole.pdf").count()).toBe(0);
  await page.getByRole("button", { name: "Clear finished" }).click();
  await rowOf(page, "whole.pdf").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Cancel the upload: refused.pdf" }).click();
  await page.reload();
  await page.getByRole("button", { name: "Choose files" }).waitFor();
  expect(await uploadsOf(page).count()).toBe(0);
});

inBrowser("who has no documents begins with those that come with the console, and finds their pages", async () => {
  const { apiKey } = await drs.admin.organisations.create({ name: "Newcomers" });
  const page = await drs.open("/", { credential: apiKey });
  await page.getByRole("button", { name: "Try sample documents" }).waitFor();
  await expectAccessible(page);
  await show(page, "search-no-documents");
  await page.getByRole("button", { name: "Try sample documents" }).click();
  await page.waitForURL(`${drs.url}/upload`);
  const searchable = uploadsOf(page).getByText("Searchable", { exact: true });
  await expect.poll(() => searchable.count(), { timeout: 120_000 }).toBe(samples.length);
  expect((await stored(page).allTextContents()).toSorted()).toEqual(samples.map(({ fileName }) => fileName).toSorted());
  await page.keyboard.press("/");
  await page.keyboard.type("how do I clean lime out of the water heater");
  await page.keyboard.press("Enter");
  await page.getByRole("main").getByRole("listitem").first().getByText("coffee-machine-manual.pdf").waitFor();
  const empty = await drs.open("/documents", {
    credential: (await drs.admin.organisations.create({ name: "Others" })).apiKey,
  });
  await empty.getByRole("button", { name: "Try sample documents" }).waitFor();
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
    await stored(page, "anywhere.pdf").waitFor();
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
  await page.getByText("Skipped files that are not documents: 1.").waitFor();
  await expect.poll(() => stored(page).count(), { timeout: 20_000 }).toBe(3);
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
  await stored(page, "large.pdf").waitFor();
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
  await page.getByRole("button", { name: "Resume" }).press("Enter");
  await page.getByText("Choose the same file again to continue where it stopped.").waitFor();
  let parts = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/append")) parts += 1;
  });
  await chooser(page, "Choose the file").set([dropped]);
  await stored(page, "dropped-large.pdf").waitFor();
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
  await page.getByRole("button", { name: "Resume" }).press("Enter");
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
  await stored(page, "large.pdf").waitFor();
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
