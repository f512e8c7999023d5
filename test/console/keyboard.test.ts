import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { inBrowser, startConsole, type TestConsole } from "./browser.ts";

let drs: TestConsole;
beforeAll(async () => {
  drs = await startConsole();
});
afterAll(() => drs.close());

/** More than any view has between two places. */
const maxTabs = 60;

/** Goes on from control to control until one has the focus that fits, and fails if none does. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.first().waitFor();
  const isThere = async (): Promise<boolean> => (await wanted.and(page.locator(":focus")).count()) > 0;
  for (let tabs = 0; tabs < maxTabs && !(await isThere()); tabs++) await page.keyboard.press("Tab");
  expect(await isThere(), `${wanted.toString()} is in reach of the Tab key`).toBe(true);
}

async function press(page: Page, wanted: Locator): Promise<void> {
  await tabTo(page, wanted);
  await page.keyboard.press("Enter");
}

inBrowser(
  "the whole way by keyboard alone: sign in, upload, watch, ask, open a page, hand it on, delete its document",
  async () => {
    const page = await drs.open("/", { credential: null });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await tabTo(page, page.getByLabel("Personal token or API key"));
    await page.keyboard.type(drs.server.credentials.apiKey);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "There are no documents yet" }).waitFor();

    await press(page, page.getByRole("main").getByRole("link", { name: "Upload" }));
    const choosing = page.waitForEvent("filechooser");
    await press(page, page.getByRole("button", { name: "Choose files" }));
    const buffer = makePdf({ pages: ["The cost of heating with a heat pump", "Pipes"].map((text) => ({ text })) });
    await (await choosing).setFiles({ name: "heating.pdf", mimeType: "application/pdf", buffer });

    const navigation = page.getByRole("link", { name: "Documents", exact: true });
    await press(page, navigation);
    const documents = page.getByRole("list", { name: "Documents" });
    const finished = documents.locator(".document:not(:has(.job-stage))").filter({ hasText: "Pages 2" });
    await finished.waitFor({ timeout: 240_000 });

    await page.keyboard.press("/");
    await page.keyboard.type("cost of heating");
    await page.keyboard.press("Enter");
    await press(page, page.getByRole("main").getByRole("link", { name: /heating\.pdf Page 1/ }));
    await page.getByRole("dialog", { name: "heating.pdf, page 1" }).waitFor();
    await press(page, page.getByRole("button", { name: "Copy a link" }));
    await press(page, page.getByRole("button", { name: "for an hour" }));
    await page.getByText("The link is copied").first().waitFor();
    const shared = await fetch(await page.evaluate<string>("navigator.clipboard.readText()"));
    expect([shared.status, shared.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    await press(page, navigation);
    await press(page, documents.getByRole("link", { name: "heating.pdf" }));
    await page.getByRole("heading", { name: "heating.pdf" }).waitFor();
    await press(page, page.getByRole("button", { name: "More" }));
    await press(page, page.getByRole("button", { name: "Delete", exact: true }));
    const dialog = page.getByRole("dialog");
    await dialog.getByText("This deletes 2 pages").waitFor();
    await press(page, dialog.getByRole("button", { name: "Delete", exact: true }));
    await page.getByText("heating.pdf was deleted").waitFor();
    expect((await drs.admin.datasets.page({})).total).toBe(0);
  },
  400_000,
);
