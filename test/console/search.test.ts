import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JSHandle, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { expectAccessible, inBrowser, show, startConsole, type TestConsole } from "./browser.ts";
import { uploadDocuments } from "./documents.ts";
import { dropFiles } from "./drop.ts";

let drs: TestConsole;
let ids: readonly string[] = [];
let folder: string;
beforeAll(async () => {
  drs = await startConsole();
  ids = await uploadDocuments(drs.admin);
  folder = await mkdtemp(join(tmpdir(), "drs-search-"));
});
afterAll(async () => {
  await drs.close();
  await rm(folder, { recursive: true, force: true });
});

inBrowser("a question shows pages, and its address is the question", async () => {
  const page = await drs.open("/");
  await page.getByRole("heading", { name: "What are you looking for?" }).waitFor();
  await expectAccessible(page);
  await show(page, "search-begin");
  await page.keyboard.press("/");
  await page.keyboard.type("when to sow tomatoes");
  await page.keyboard.press("Enter");
  const first = page.getByRole("listitem").first();
  await first.getByText("garden.pdf").waitFor();
  await first.getByText("Page 1 of 5").waitFor();
  expect(page.url()).toBe(`${drs.server.url}/search?q=when+to+sow+tomatoes`);
  await page.locator(".sheet-loaded").first().waitFor();
  await page.locator(".sheet-mark").first().waitFor();
  await expectAccessible(page);
  await show(page, "search");

  await page.keyboard.press("/");
  await page.keyboard.type("cost of heating");
  await page.keyboard.press("Enter");
  await first.getByText("heating.pdf").waitFor();
  await page.goBack();
  await first.getByText("garden.pdf").waitFor();
  expect(await page.getByRole("searchbox").inputValue()).toBe("when to sow tomatoes");
  await page.reload();
  await first.getByText("garden.pdf").waitFor();
});

inBrowser("likely pages stand above a line, each with its words; those below hardly answer", async () => {
  const page = await drs.open("/search?q=when+to+sow+tomatoes");
  const main = page.getByRole("main");
  await main.getByText("1 likely page", { exact: true }).waitFor();
  const line = main.getByRole("heading", { name: "These pages are unlikely to answer it" });
  await line.waitFor();
  const [likely, others] = [main.getByRole("list").first(), main.getByRole("list").nth(1)];
  expect(await likely.getByRole("listitem").count()).toBe(1);
  expect(await others.getByRole("listitem").count()).toBe(7);
  expect(await likely.locator("mark").allTextContents()).toEqual(expect.arrayContaining(["Tomatoes", "Sow"]));
  await page.locator(".sheet-loaded").nth(3).waitFor();
  await show(page, "search-line");
});

inBrowser("a question that nothing answers says so, and shows what comes closest apart", async () => {
  const page = await drs.open("/search?q=qwzx+vlorp+ghuntak");
  await page.getByRole("heading", { name: "No page seems to answer this" }).waitFor();
  await page.getByText("0 likely pages", { exact: true }).waitFor();
  await page.getByRole("heading", { name: "The closest pages" }).waitFor();
  await expectAccessible(page);
  await show(page, "search-nothing");
});

inBrowser("an answer is grouped by document, also after loading again", async () => {
  const page = await drs.open("/search?q=tomatoes");
  const main = page.getByRole("main");
  await main.getByRole("listitem").first().waitFor();
  await page.getByRole("button", { name: "By document" }).click();
  const group = main.locator("section").filter({ has: page.getByRole("heading", { name: "heating.pdf" }) });
  await group.getByText("2 pages", { exact: true }).waitFor();
  expect(await group.getByRole("listitem").count()).toBe(2);
  await expectAccessible(page);
  await page.reload();
  await group.waitFor();
  await page.locator(".sheet-loaded").nth(3).waitFor();
  await show(page, "search-grouped");
  await group.getByRole("link", { name: "heating.pdf" }).click();
  await page.getByRole("heading", { level: 1, name: "heating.pdf" }).waitFor();
});

inBrowser("what was asked is listed in the browser that asked, until it is forgotten", async () => {
  const page = await drs.open("/search?q=heat+pump&where=year=2019");
  await page.getByRole("main").getByRole("listitem").first().waitFor();
  await page.getByRole("link", { name: "drs, go to search" }).click();
  const recent = page.getByRole("region", { name: "Recent searches" });
  await recent.getByRole("link", { name: "heat pump" }).waitFor();
  await expectAccessible(page);
  await show(page, "search-recent");
  await recent.getByRole("link", { name: "heat pump" }).click();
  expect(new URL(page.url()).search).toBe("?q=heat+pump&where=year%3D2019");
  await page.goto(drs.url);
  await recent.getByRole("button", { name: "Clear" }).click();
  await recent.waitFor({ state: "detached" });
  const elsewhere = await drs.open("/");
  await elsewhere.getByRole("heading", { name: "What are you looking for?" }).waitFor();
  expect(await elsewhere.getByRole("region", { name: "Recent searches" }).count()).toBe(0);
});

inBrowser("documents are chosen by their metadata and by name", async () => {
  const page = await drs.open("/search?q=rainfall");
  const hits = page.getByRole("main").getByRole("listitem");
  await hits.getByText("garden.pdf").first().waitFor();
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("dialog").waitFor();
  await page.getByLabel("Metadata condition").fill("=5");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText("It names no field").waitFor();
  await expectAccessible(page);
  await show(page, "search-filter");
  await page.getByLabel("Metadata condition").fill("year=2019");
  await page.getByRole("button", { name: "Apply" }).click();
  await expect.poll(async () => hits.getByText("garden.pdf").count()).toBe(0);
  await hits.getByText("heating.pdf").first().waitFor();
  expect(page.url()).toContain("where=year%3D2019");
  await page.getByRole("button", { name: "Remove the filter year=2019" }).click();
  await hits.getByText("garden.pdf").first().waitFor();

  const shared = await drs.open(`/search?q=rainfall&dataset=${ids[2]}`);
  await shared.getByRole("button", { name: "Remove the filter weather.pdf" }).waitFor();
  await expect.poll(async () => shared.getByText("Page 1 of 1").count()).toBe(1);
});

inBrowser("documents are chosen by their format", async () => {
  const page = await drs.open("/search?q=rainfall");
  const hits = page.getByRole("main").getByRole("listitem");
  await hits.getByText("weather.pdf").first().waitFor();
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByLabel("Format").selectOption("XLSX");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("heading", { name: "No results" }).waitFor();
  expect(page.url()).toContain("ext=xlsx");
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByLabel("Format").selectOption("PDF");
  await page.getByRole("button", { name: "Apply" }).click();
  await hits.getByText("weather.pdf").first().waitFor();
  await page.getByRole("button", { name: "Remove the filter XLSX" }).click();
  await page.getByRole("button", { name: "Remove the filter PDF" }).waitFor();
  await hits.getByText("weather.pdf").first().waitFor();
});

/** The picture of a page, as a person has it in the clipboard or as a file. */
async function pictureOf(datasetId = ""): Promise<string> {
  const [item] = (await drs.admin.items.page(datasetId, { row: "jpg", include: ["picture"] })).data;
  return item?.picture?.split(",")[1] ?? "";
}

/** A transfer of one file with these bytes. */
const transferOf = (page: Page, name: string, type: string, base64: string): Promise<JSHandle> =>
  page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    const bytes = Uint8Array.from(atob("${base64}"), (letter) => letter.charCodeAt(0));
    transfer.items.add(new File([bytes], "${name}", { type: "${type}" }));
    return transfer;
  })()`);

inBrowser("a picture that is pasted finds pages like it, alone and with words", async () => {
  const page = await drs.open("/");
  const clipboardData = await transferOf(page, "image.jpg", "image/jpeg", await pictureOf(ids[2]));
  await page.getByRole("searchbox").focus();
  await page.getByRole("searchbox").evaluate(paste, clipboardData);
  const first = page.getByRole("main").getByRole("listitem").first();
  await first.getByText("weather.pdf").waitFor();
  await page.getByAltText("Picture").waitFor();
  await page.getByRole("searchbox").fill("tomatoes");
  await page.getByRole("searchbox").press("Enter");
  await page.waitForURL(/q=tomatoes&picture=[0-9a-f]{24}$/);
  await page.getByRole("main").getByRole("listitem").getByText("garden.pdf").first().waitFor();
  await page.getByRole("button", { name: "Search without the picture" }).click();
  await first.getByText("garden.pdf").waitFor();
  expect(new URL(page.url()).search).toBe("?q=tomatoes");
});

/** Dispatches a paste as the browser does; run in the page. */
const paste = (field: object, clipboardData: unknown): void => {
  const Paste = Reflect.get(globalThis, "ClipboardEvent") as new (type: string, init: object) => object;
  const dispatch = Reflect.get(field, "dispatchEvent") as (event: object) => void;
  dispatch.call(field, new Paste("paste", { clipboardData, bubbles: true, cancelable: true }));
};

inBrowser("a picture file that is dropped on the field finds pages like it, and is not uploaded", async () => {
  const path = join(folder, "crop.jpg");
  await writeFile(path, Buffer.from(await pictureOf(ids[2]), "base64"));
  const page = await drs.open("/");
  await dropFiles(page, page.getByRole("searchbox"), [path]);
  await page.getByRole("main").getByRole("listitem").first().getByText("weather.pdf").waitFor();
  expect(page.url()).toMatch(/picture=[0-9a-f]{24}$/);
  await dropFiles(page, page.getByRole("searchbox"), [fileURLToPath(import.meta.url)]);
  await page.getByText("cannot read that as a picture").waitFor();
  expect((await drs.admin.datasets.page()).total).toBe(3);
});

inBrowser("a picture that is chosen finds pages like it, also after loading again", async () => {
  const [item] = (await drs.admin.items.page(ids[2] ?? "", { row: "jpg", include: ["picture"] })).data;
  const buffer = Buffer.from(item?.picture?.split(",")[1] ?? "", "base64");
  const page = await drs.open("/");
  await page.locator('input[type="file"]').setInputFiles({ name: "crop.jpg", mimeType: "image/jpeg", buffer });
  const first = page.getByRole("main").getByRole("listitem").first();
  await first.getByText("weather.pdf").waitFor();
  await page.getByAltText("Picture").waitFor();
  expect(page.url()).toMatch(/picture=[0-9a-f]{24}$/);
  await page.reload();
  await first.getByText("weather.pdf").waitFor();
  await expectAccessible(page);
  await show(page, "search-picture");
  await page.locator('input[type="file"]').setInputFiles({
    name: "no.png",
    mimeType: "image/png",
    buffer: Buffer.from("no picture"),
  });
  await page.getByText("cannot read that as a picture").waitFor();
  const elsewhere = await drs.open(new URL(page.url()).pathname + new URL(page.url()).search);
  await elsewhere.getByText("The picture is not in this browser").waitFor();
});

inBrowser("nothing moves while the pictures of an answer load", async () => {
  const page = await drs.open("/search?q=tomatoes");
  const shift = `new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => resolve(sum), 500);
  })`;
  await page.locator(".sheet-loaded").first().waitFor();
  // Good, by https://web.dev/articles/cls, is less than 0.1.
  expect(await page.evaluate(shift)).toBeLessThan(0.02);
});

inBrowser("fits a phone, a wide screen and 200 % zoom", async () => {
  for (const [width, height] of [
    [390, 844],
    [640, 450],
    [1920, 1080],
  ] as const) {
    const page = await drs.open("/search?q=tomatoes&where=year>=2020", { width, height });
    await page.locator(".sheet-loaded").first().waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    await show(page, `search-${width}`);
  }
});
