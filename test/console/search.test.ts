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

inBrowser("documents are chosen by their metadata and by name", async () => {
  const page = await drs.open("/search?q=rainfall");
  const hits = page.getByRole("main").getByRole("listitem");
  await hits.getByText("garden.pdf").first().waitFor();
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("dialog").waitFor();
  await page.getByLabel("Condition of the metadata").fill("=5");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText("It names no field").waitFor();
  await expectAccessible(page);
  await show(page, "search-filter");
  await page.getByLabel("Condition of the metadata").fill("year=2019");
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
