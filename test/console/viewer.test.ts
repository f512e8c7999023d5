import { afterAll, beforeAll, expect } from "vitest";
import { expectAccessible, inBrowser, show, startConsole, type TestConsole } from "./browser.ts";
import { uploadDocuments } from "./documents.ts";

let drs: TestConsole;
let ids: readonly string[] = [];
beforeAll(async () => {
  drs = await startConsole();
  ids = await uploadDocuments(drs.admin);
});
afterAll(() => drs.close());

inBrowser("by the keyboard alone: ask, open a page, turn, enlarge, go back to the answer", async () => {
  const page = await drs.open("/");
  await page.getByRole("heading", { name: "What are you looking for?" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("when to sow tomatoes");
  await page.keyboard.press("Enter");
  const hit = page.getByRole("main").getByRole("link").first();
  await hit.getByText("Page 1 of 5").waitFor();
  while ((await page.locator(".hit:focus").count()) === 0) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "garden.pdf, page 1" }).waitFor();
  await page.locator(".viewer .sheet-loaded").first().waitFor();
  await page.locator(".viewer .sheet-mark").first().waitFor();
  await expectAccessible(page);
  await show(page, "viewer");

  await page.keyboard.press("ArrowRight");
  await page.getByRole("dialog", { name: "garden.pdf, page 2" }).waitFor();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.getByRole("dialog", { name: "garden.pdf, page 1" }).waitFor();
  const width = async (): Promise<number> => (await page.locator(".viewer-stage .sheet").boundingBox())?.width ?? 0;
  const whole = await width();
  await page.keyboard.press("+");
  await expect.poll(width).toBeGreaterThan(whole * 1.4);
  await page.keyboard.press("0");
  await expect.poll(width).toBeCloseTo(whole);
  await page.keyboard.press("Escape");
  await hit.getByText("Page 1 of 5").waitFor();
  expect(page.url()).toBe(`${drs.server.url}/search?q=when+to+sow+tomatoes`);
});

inBrowser("a document is searched from its page, and its hits follow each other by button and by key", async () => {
  const page = await drs.open(`/documents/${ids[0]}`);
  await page.getByRole("searchbox", { name: "Search in this document" }).fill("water the beds");
  await show(page, "document-search");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Remove the filter garden.pdf" }).waitFor();
  const hits = page.getByRole("main").getByRole("listitem");
  await hits.first().getByText("Page 2 of 5").waitFor();
  expect(await hits.count()).toBe(5);
  await hits.last().getByRole("link").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Hit 5 of 5").waitFor();
  await page.keyboard.press("p");
  await dialog.getByText("Hit 4 of 5").waitFor();
  await dialog.getByRole("button", { name: "Next hit" }).click();
  await dialog.getByText("Hit 5 of 5").waitFor();
  expect(await dialog.getByRole("button", { name: "Next hit" }).isDisabled()).toBe(true);
  await expectAccessible(page);
  await show(page, "viewer-hits");
});

inBrowser("? names the keys, also on an open page, and is a letter where one writes", async () => {
  const page = await drs.open(`/documents/${ids[0]}/pages/1`);
  await page.locator(".viewer .sheet-loaded").first().waitFor();
  const shortcuts = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await page.keyboard.press("?");
  await shortcuts.getByText("Next hit, previous hit").waitFor();
  await expectAccessible(page);
  await show(page, "shortcuts");
  await page.keyboard.press("Escape");
  await shortcuts.waitFor({ state: "detached" });
  await page.getByRole("dialog", { name: "garden.pdf, page 1" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("heading", { level: 1, name: "garden.pdf" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("why?");
  expect(await page.getByRole("searchbox", { name: "Ask, or describe a page" }).inputValue()).toBe("why?");
  expect(await shortcuts.count()).toBe(0);
});

inBrowser("a page is handed on: by a link that needs no session, as a picture and as a PDF", async () => {
  const page = await drs.open(`/documents/${ids[1]}/pages/2`);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.locator(".viewer .sheet-loaded").first().waitFor();
  await show(page, "viewer-wide");
  await page.getByRole("button", { name: "Copy a link" }).click();
  await page.getByRole("button", { name: "for an hour" }).click();
  await page.getByText("The link is copied").first().waitFor();
  const link = await page.evaluate<string>("navigator.clipboard.readText()");
  const answer = await fetch(link);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/jpeg"]);

  for (const [choice, name, start] of [
    ["As a picture (JPEG)", "heating-page-2.jpg", "\u00ff\u00d8"],
    ["As a document (PDF)", "heating-page-2.pdf", "%PDF"],
  ] as const) {
    await page.getByRole("button", { name: "Download the page" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: choice }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(name);
    const chunks = await (await download.createReadStream()).toArray();
    expect(Buffer.concat(chunks).toString("latin1").startsWith(start)).toBe(true);
    await page.keyboard.press("Escape");
  }
});

inBrowser("pages like this one, and the text of a page", async () => {
  const page = await drs.open(`/documents/${ids[2]}/pages/1`);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Download the page" }).click();
  await page.getByRole("button", { name: "Copy the text" }).click();
  await page.getByText("The text of the page is copied").first().waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toContain("Rainfall by month");
  await page.getByRole("link", { name: "Pages like this one" }).press("Enter");
  await page.getByRole("main").getByRole("listitem").first().getByText("weather.pdf").waitFor();
  await page.getByText("Like page 1").waitFor();
  expect(page.url()).toBe(`${drs.server.url}/search?like=${ids[2]}.1`);
});

inBrowser("a page that is not there says so, and what to do", async () => {
  const page = await drs.open(`/documents/${ids[2]}/pages/7`);
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("heading", { name: /\.pdf$/ }).waitFor();
  expect(page.url()).toBe(`${drs.server.url}/documents/${ids[2]}`);
});

inBrowser("fits a phone", async () => {
  const page = await drs.open(`/documents/${ids[0]}/pages/1?q=tomatoes`, { width: 390, height: 844 });
  await page.locator(".viewer .sheet-loaded").first().waitFor();
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  await page.getByText(/^Hit 1 of/).waitFor();
  await show(page, "viewer-390");
});
