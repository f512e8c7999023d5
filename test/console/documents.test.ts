import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect } from "vitest";
import type { OrganisationId, WorkspaceId } from "../../server/domain/ids.ts";
import { fillStock } from "../fixtures/metadata-stock.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { expectAccessible, inBrowser, show, startConsole, type TestConsole } from "./browser.ts";

let drs: TestConsole;
/** Has ten thousand documents. */
let many: TestConsole;
/** One of those, with 1,158 pages. */
let largeDocument: string;
beforeAll(async () => {
  [drs, many] = await Promise.all([startConsole(), startConsole()]);
  const me = await many.admin.me();
  const tenant = { organisationId: me.organisationId as OrganisationId, workspaceId: me.workspaceId as WorkspaceId };
  largeDocument = fillStock(many.server.dataDir, tenant, manyDocuments, Date.now()).read;
});
afterAll(async () => {
  await Promise.all([drs.close(), many.close()]);
});

const manyDocuments = {
  datasets: 10_000,
  pagesOfLarge: 1_158,
  failedOfLarge: 1,
  pagesOfOthers: 10_000,
  queued: 0,
  otherWorkspaces: 1,
  finishedToday: 5,
  parts: 1,
  renditions: 0,
};

/** As a worker notes a page that it could not read. */
function failPage(dataDir: string, datasetId: string, reason: string): void {
  const database = new DatabaseSync(join(dataDir, "metadata.sqlite"), { timeout: 5_000 });
  database.prepare("update pages set failure = ? where datasetId = ? and page = 2").run(reason, datasetId);
  database.close();
}

const pdfOf = (texts: readonly string[]): File =>
  new File([makePdf({ pages: texts.map((text) => ({ text })) })], "report.pdf", { type: "application/pdf" });

inBrowser("without documents the list says what to do next", async () => {
  const page = await drs.open("/documents");
  await page.getByRole("heading", { name: "No documents yet" }).waitFor();
  await expectAccessible(page);
  await show(page, "documents-empty");
});

inBrowser(
  "a document is renamed, described, kept for some days, made searchable and deleted, by keyboard alone",
  async () => {
    const job = await drs.admin.datasets.upload(pdfOf(["One", "Two", "Three"]));
    await drs.admin.jobs.wait(job.id);
    const page = await drs.open("/documents");
    const link = page.getByRole("link", { name: "report.pdf" });
    await link.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Page 3" }).waitFor();
    await page.locator(".contact-picture[src]").nth(2).waitFor();
    await expectAccessible(page);

    const choose = async (item: string): Promise<void> => {
      await page.getByRole("button", { name: "More" }).press("Enter");
      await page.getByRole("button", { name: item, exact: true }).press("Enter");
    };
    await choose("Rename");
    await page.getByLabel("File name").fill("annual.pdf");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "annual.pdf" }).waitFor();

    await choose("Edit metadata");
    await page.getByRole("button", { name: "Add a field" }).press("Enter");
    await page.getByLabel("Field", { exact: true }).fill("customer");
    await page.getByLabel("Kind").selectOption("Number");
    await page.getByLabel("Value").fill("forty-two");
    await page.keyboard.press("Enter");
    await page.getByText("This is not of the chosen kind.").waitFor();
    await expectAccessible(page);
    await page.getByLabel("Value").fill("42");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    await choose("Expiry");
    await page.getByLabel("Delete it automatically").check();
    await page.getByLabel("Days from now").fill("7");
    await page.keyboard.press("Enter");
    await page.getByText(/^Expires /).waitFor();
    expect(await drs.admin.datasets.get(job.datasetId)).toMatchObject({
      fileName: "annual.pdf",
      metadata: { customer: 42 },
      expiresAt: expect.closeTo(Date.now() + 7 * 86_400_000, -6),
    });
    await show(page, "document");

    await page.getByRole("button", { name: "Make searchable" }).press("Enter");
    await page.getByText("Searchable", { exact: true }).waitFor({ timeout: 120_000 });

    await choose("Delete");
    await page.getByText(/^This deletes 3 pages .* frees [1-9]/).waitFor();
    await expectAccessible(page);
    await show(page, "document-delete");
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).press("Enter");
    await page.getByText("annual.pdf was deleted").waitFor();
    await page.getByRole("heading", { name: "No documents yet" }).waitFor();
  },
);

inBrowser("the list tells what is searchable, and is narrowed down by it and by format", async () => {
  const { id } = await drs.admin.datasets.upload(pdfOf(["Lighthouse"]), { fileName: "found.pdf", vectorize: true });
  const other = await drs.admin.datasets.upload(pdfOf(["Harbour"]), { fileName: "kept.pdf" });
  for (const job of [id, other.id]) await drs.admin.jobs.wait(job);
  const page = await drs.open("/documents");
  const row = (name: string) => page.locator(".document").filter({ has: page.getByRole("link", { name }) });
  await row("found.pdf").getByText("Searchable", { exact: true }).waitFor();
  await row("kept.pdf").getByText("Not searchable yet", { exact: true }).waitFor();
  await page.getByLabel("State").selectOption("Searchable");
  await row("kept.pdf").waitFor({ state: "detached" });
  await row("found.pdf").waitFor();
  await page.getByLabel("State").selectOption("Not searchable yet");
  await row("kept.pdf").waitFor();
  await page.getByLabel("Format").selectOption("XLSX");
  await page.getByRole("heading", { name: "No documents found" }).waitFor();
  await page.getByLabel("Format").selectOption("PDF");
  await row("kept.pdf").waitFor();
  for (const job of [id, other.id]) {
    const { datasetId } = await drs.admin.jobs.get(job);
    await drs.admin.datasets.delete(datasetId);
  }
});

inBrowser(
  "several documents are selected, made searchable and deleted at once; rows show their first pages",
  async () => {
    for (const name of ["north.pdf", "east.pdf", "south.pdf", "west.pdf"]) {
      const { id } = await drs.admin.datasets.upload(pdfOf([name]), { fileName: name });
      await drs.admin.jobs.wait(id);
    }
    const page = await drs.open("/documents?sort=fileName");
    const row = (name: string) => page.locator(".document").filter({ has: page.getByRole("link", { name }) });
    const naturalWidth = async (name: string): Promise<unknown> =>
      row(name)
        .locator("img")
        .evaluate((image) => Reflect.get(image, "naturalWidth"));
    for (const name of ["east.pdf", "west.pdf"])
      await expect.poll(() => naturalWidth(name), { timeout: 20_000 }).toBe(256);
    await page.getByLabel("Select east.pdf").check();
    await page.getByLabel("Select south.pdf").click({ modifiers: ["Shift"] });
    await page.getByText("3 selected").waitFor();
    expect(await page.getByLabel("Select west.pdf").isChecked()).toBe(false);
    await expectAccessible(page);
    await show(page, "documents-selected");
    await page.getByRole("button", { name: "Make searchable" }).click();
    await row("south.pdf").getByText("Searchable", { exact: true }).waitFor({ timeout: 120_000 });
    await row("west.pdf").getByText("Not searchable yet").waitFor();

    await page.getByLabel("Select all").check();
    await page.getByText("4 selected").waitFor();
    await page.getByLabel("Select north.pdf").uncheck();
    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete 3 documents?" });
    await dialog.getByText(/^This deletes 3 documents .* frees [1-9]/).waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText(/^Deleted: 3 documents/).waitFor();
    await row("west.pdf").waitFor({ state: "detached" });
    expect((await drs.admin.datasets.page()).data.map(({ fileName }) => fileName)).toEqual(["north.pdf"]);
    await drs.admin.datasets.deleteMany({ ids: (await drs.admin.datasets.page()).data.map(({ id }) => id) });
  },
);

inBrowser("those who may only read select nothing", async () => {
  const { id, datasetId } = await drs.admin.datasets.upload(pdfOf(["One"]), { fileName: "read.pdf" });
  await drs.admin.jobs.wait(id);
  const { key } = await drs.admin.keys.create({ scopes: ["read"] });
  const page = await drs.open("/documents", { credential: key });
  await page.getByRole("link", { name: "read.pdf" }).waitFor();
  expect(await page.getByRole("checkbox").count()).toBe(0);
  await drs.admin.datasets.delete(datasetId);
});

inBrowser("a page that has failed is shown with its reason, and tried again", async () => {
  const { id, datasetId } = await drs.admin.datasets.upload(pdfOf(["One", "Two"]));
  await drs.admin.jobs.wait(id);
  failPage(drs.server.dataDir, datasetId, "it took longer than 30 seconds");
  const page = await drs.open("/documents");
  await page.getByText("Failed pages: 1").waitFor();
  await page.getByLabel("State").selectOption("Failed, or pages failed");
  await page.getByText("1 document", { exact: true }).waitFor();
  await page.getByRole("link", { name: "report.pdf" }).click();
  await page.getByText("it took longer than 30 seconds").waitFor();
  await expectAccessible(page);
  await show(page, "document-failed");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("it took longer than 30 seconds").waitFor({ state: "detached" });
  await page.locator(".contact-picture[src]").nth(1).waitFor();
  expect(await drs.admin.jobs.wait(id)).toMatchObject({ status: "SUCCESS", failures: [] });
});

inBrowser("what a document has and its pages do not show is said on its page", async () => {
  const { id, datasetId } = await drs.admin.datasets.upload(pdfOf(["One", "Two"]));
  await drs.admin.jobs.wait(id);
  const database = new DatabaseSync(join(drs.server.dataDir, "metadata.sqlite"), { timeout: 5_000 });
  const warnings = [{ code: "formula", message: "a box with a formula is not shown", page: 2 }];
  database.prepare("update datasets set warnings = ? where id = ?").run(JSON.stringify(warnings), datasetId);
  database.close();
  const page = await drs.open(`/documents/${datasetId}`);
  await page.getByText("a box with a formula is not shown").waitFor();
  await page.getByText("Warnings: 1").waitFor();
  expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  await expectAccessible(page);
  await show(page, "document-warnings");
});

inBrowser("a damaged document is not offered to be made searchable", async () => {
  const damaged = new File([`%PDF-1.7\n${"no objects at all\n".repeat(200)}%%EOF\n`], "damaged.pdf");
  const { id, datasetId } = await drs.admin.datasets.upload(damaged);
  expect(await drs.admin.jobs.wait(id).catch(() => drs.admin.jobs.get(id))).toMatchObject({ status: "ERROR" });
  const page = await drs.open(`/documents/${datasetId}`);
  await page.getByRole("button", { name: "Try again" }).waitFor();
  await page.getByText("Not searchable yet").waitFor();
  expect(await page.getByRole("button", { name: "Make searchable" }).count()).toBe(0);
  await show(page, "document-damaged");
  await drs.admin.datasets.delete(datasetId);
});

inBrowser("ten thousand documents are scrolled through, left and come back to", async () => {
  const page = await many.open("/documents");
  await page.getByText("10,000 documents").waitFor();
  const links = page.getByRole("link", { name: /^report / });
  await links.first().waitFor();
  await show(page, "documents");
  await expectAccessible(page);
  for (const place of [0.2, 0.5, 0.9, 1]) {
    await page.evaluate(`scrollTo(0, document.body.scrollHeight * ${place})`);
    await links.first().waitFor();
    expect(await page.locator(".virtual-row").count()).toBeLessThan(60);
  }
  const last = page.locator('[aria-posinset="10000"] .document-link');
  await last.click();
  await page.getByRole("heading", { level: 1, name: /^report / }).waitFor();
  await page.goBack();
  await last.waitFor();
});

inBrowser("documents are found by a part of their name, in the address too", async () => {
  const page = await many.open("/documents?sort=fileName&name=REPORT+99");
  await page.getByText("111 of 10,000 documents").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("report 999");
  await page.getByText("11 of 10,000 documents").waitFor();
  expect(page.url()).toContain("name=report+999");
  await page.getByLabel("Metadata").fill("year>=");
  await page.getByText("Write a field, an operator").waitFor();
  await page.getByLabel("Metadata").fill("year>=2020");
  await page.getByRole("heading", { name: "No documents found" }).waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByText("10,000 documents").waitFor();
});

inBrowser("of the pages of a long document only those near the view exist", async () => {
  const page = await many.open(`/documents/${largeDocument}`);
  await page.getByRole("link", { name: "Page 1", exact: true }).waitFor();
  await page.evaluate("scrollTo(0, document.body.scrollHeight)");
  await page.getByRole("link", { name: "Page 1,158" }).waitFor();
  expect(await page.locator(".contact-page").count()).toBeLessThan(120);
});
