import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { docxOfPages, pptxOfPages } from "../fixtures/office-pages.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { expectAccessible, inBrowser, show, startConsole, type TestConsole } from "./browser.ts";

let drs: TestConsole;
beforeAll(async () => {
  drs = await startConsole();
});
afterAll(() => drs.close());

const documents: Readonly<Record<string, Buffer>> = {
  "heating.pdf": makePdf({
    pages: ["The cost of heating with a heat pump", "Pipes", "Radiators"].map((text) => ({ text })),
  }),
  "council.docx": docxOfPages(["Minutes of the council", "Bicycles and parking", "Next meeting"]),
  "garden.pptx": pptxOfPages(["The garden year", "Water in the morning", "Tomatoes in March"]),
};

/** Drops files on the page as a person does from a folder. */
async function dropFiles(page: Page, files: Readonly<Record<string, Buffer>>): Promise<void> {
  const named = Object.entries(files).map(([name, bytes]) => [name, bytes.toString("base64")]);
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    for (const [name, text] of ${JSON.stringify(named)}) {
      transfer.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
    }
    return transfer;
  })()`);
  await page.dispatchEvent("body", "dragover", { dataTransfer });
  await page.getByText("Drop to upload").waitFor();
  await page.dispatchEvent("body", "drop", { dataTransfer });
}

inBrowser(
  "the whole way: sign in, drop three documents, watch, ask, open a page, hand it on, delete its document",
  async () => {
    const page = await drs.open("/", { credential: null });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByLabel("Personal token or API key").click();
    await expectAccessible(page);
    await page.keyboard.type(drs.server.credentials.apiKey);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "There are no documents yet" }).waitFor();
    await expectAccessible(page);

    await page.getByRole("link", { name: "Documents", exact: true }).click();
    await page.getByRole("heading", { name: "No documents yet" }).waitFor();
    await dropFiles(page, documents);
    const names = Object.keys(documents);
    const list = page.getByRole("list", { name: "Documents" });
    for (const name of names) await list.getByRole("link", { name }).waitFor();
    await list.locator(".job-stage").first().waitFor();
    await expectAccessible(page);
    await show(page, "whole-way-at-work");
    // The list follows the work by itself.
    const finished = list.locator(".document:not(:has(.job-stage))").filter({ hasText: "Pages 3" });
    await expect.poll(() => finished.count(), { timeout: 240_000, interval: 500 }).toBe(3);
    await expectAccessible(page);
    await show(page, "whole-way-done");

    await page.keyboard.press("/");
    await page.keyboard.type("cost of heating");
    await page.keyboard.press("Enter");
    const hits = page.getByRole("main").getByRole("listitem");
    await hits.first().getByText("heating.pdf").waitFor();
    const second = hits.nth(1);
    const fileName = await second.locator(".hit-name").innerText();
    const found = Number(/^Page (\d)/.exec(await second.locator(".hit-facts").innerText())?.[1]);
    expect(names).toContain(fileName);
    await page.locator(".sheet-loaded").first().waitFor();
    await expectAccessible(page);
    await show(page, "whole-way-answer");

    await second.getByRole("link").click();
    await page.getByRole("dialog", { name: `${fileName}, page ${found}` }).waitFor();
    if (found !== 2) await page.keyboard.press(found < 2 ? "ArrowRight" : "ArrowLeft");
    await page.getByRole("dialog", { name: `${fileName}, page 2` }).waitFor();
    await page.locator(".viewer .sheet-loaded").first().waitFor();
    await expectAccessible(page);
    await show(page, "whole-way-page");

    await page.getByRole("button", { name: "Copy a link" }).click();
    await page.getByRole("button", { name: "for an hour" }).click();
    await page.getByText("The link is copied").first().waitFor();
    const link = await page.evaluate<string>("navigator.clipboard.readText()");
    const shared = await fetch(link);
    expect([shared.status, shared.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
    expect(Buffer.from(await shared.arrayBuffer()).subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));

    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Documents", exact: true }).click();
    await list.getByRole("link", { name: fileName }).click();
    await page.getByRole("heading", { name: fileName }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText(/^This deletes 3 pages .* frees [1-9]/).waitFor();
    await expectAccessible(page);
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText(`${fileName} was deleted`).waitFor();
    const left = names.filter((name) => name !== fileName);
    for (const name of left) await list.getByRole("link", { name }).waitFor();
    await list.getByRole("link", { name: fileName }).waitFor({ state: "detached" });
    await expectAccessible(page);
    expect((await drs.admin.datasets.page({})).data.map(({ fileName: name }) => name).toSorted()).toEqual(
      left.toSorted(),
    );
    expect((await fetch(link)).status).not.toBe(200);
  },
  300_000,
);
