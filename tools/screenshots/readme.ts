import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { createDrs } from "@drs/client";
import { chromium } from "playwright-core";
import sharp from "sharp";
import { chromiumPath } from "../../test/service/chromium.ts";
import { startServer } from "../../test/service/start.ts";

/**
 * `node tools/screenshots/readme.ts QUESTION FILE…`: takes the picture for the README, `docs/images/search.png`. It shows
 * the console with the pages of real documents that answer a question. The documents themselves are not added to the
 * repository. The current picture is of the question "where is the legend placed", asked about chapters of the manuals
 * of PGF and of GNU Octave, which may be copied freely.
 */
const { positionals } = parseArgs({ allowPositionals: true });
const [question = "", ...files] = positionals;
if (files.length === 0) throw new Error("name a question and documents");

const server = await startServer({ workers: "2" });
try {
  const { apiKey } = server.credentials;
  const drs = createDrs({ server: server.url, apiKey });
  for (const file of files) {
    const { id } = await drs.datasets.upload(file, { fileName: basename(file), vectorize: true });
    const { status } = await drs.jobs.wait(id);
    if (status !== "SUCCESS") throw new Error(`${file} could not be read`);
  }
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const context = await browser.newContext({ locale: "en-GB", viewport: { width: 1200, height: 760 } });
    const page = await context.newPage();
    await page.goto(server.url);
    const field = page.locator("input[name=credential]");
    await field.fill(apiKey);
    await field.press("Enter");
    await page.locator("#content").waitFor();
    await page.goto(`${server.url}/search?${new URLSearchParams({ q: question }).toString()}`);
    await page.locator(".sheet-mark").first().waitFor();
    await page.waitForLoadState("networkidle");
    const picture = await page.screenshot({ animations: "disabled" });
    const folder = "docs/images";
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "search.png"), await sharp(picture).png({ palette: true, effort: 10 }).toBuffer());
  } finally {
    await browser.close();
  }
} finally {
  await server.remove();
}
