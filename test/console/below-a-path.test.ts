import { afterAll, beforeAll, expect } from "vitest";
import { type PathProxy, startPathProxy } from "../service/path-proxy.ts";
import { inBrowser, startConsole, type TestConsole } from "./browser.ts";
import { uploadDocuments } from "./documents.ts";

let proxy: PathProxy;
let drs: TestConsole;
beforeAll(async () => {
  proxy = await startPathProxy("/deep/drs");
  drs = await startConsole({ publicUrl: proxy.url });
  proxy.lead(new URL(drs.server.url));
  await uploadDocuments(drs.admin);
});
afterAll(async () => {
  await drs.close();
  await proxy.close();
});

inBrowser("below a path of a proxy all of it works: signing in, asking, pages, loading again", async () => {
  const page = await drs.open("/", { credential: null });
  await page.getByLabel("Personal token or API key").fill(drs.server.credentials.apiKey);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "What are you looking for?" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("cost of heating");
  await page.keyboard.press("Enter");
  await page.getByRole("main").getByRole("link").first().click();
  await page.locator(".viewer .sheet-loaded").first().waitFor();
  expect(page.url()).toMatch(new RegExp(`^${proxy.url}/documents/ds_\\w+/pages/\\d\\?q=cost`));
  await page.reload();
  await page.locator(".viewer .sheet-loaded").first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "drs, go to search" }).click();
  expect(page.url()).toBe(`${proxy.url}/`);
});
