import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createDrs } from "@drs/client";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import sharp from "sharp";
import { chromiumPath } from "../test/service/chromium.ts";
import { startServer } from "../test/service/start.ts";
import { addStock, type Stock, type View, viewsSignedIn, viewsSignedOut } from "./screenshots/views.ts";

/**
 * `npm run screenshots [-- FOLDER] [-- --docs] [-- --view NAME]…`: takes pictures of the console of a real server in a real
 * Chromium, of every view or of the named ones, at three widths and in both themes; with `--docs` also those in the README.
 */
const themes = ["light", "dark"] as const;
const widths = [390, 820, 1440];
const height = 900;
const docsFolder = "docs/images";

async function signIn(page: Page, url: string, apiKey: string): Promise<void> {
  await page.goto(url);
  const field = page.locator("input[name=credential]");
  await field.fill(apiKey);
  await field.press("Enter");
  await page.locator("#content").waitFor();
}

/** Takes a screenshot once all pictures are loaded. */
async function shoot(page: Page): Promise<Buffer> {
  await page.waitForLoadState("networkidle");
  return page.screenshot({ animations: "disabled" });
}

async function takeAll(context: BrowserContext, url: string, apiKey: string, stock: Stock, theme: string) {
  const page = await context.newPage();
  const isWanted = ({ name }: View): boolean => values.view.length === 0 || values.view.includes(name);
  const take = async (view: View): Promise<void> => {
    for (const width of widths) {
      await page.setViewportSize({ width, height });
      // A change of only the fragment loads nothing.
      await page.goto("about:blank");
      await page.goto(`${url}${view.path}`);
      await page.locator(view.whole).first().waitFor();
      for (const name of view.opens ?? []) await page.getByRole("button", { name, exact: true }).first().click();
      const picture = await shoot(page);
      await writeFile(join(folder, `${view.name}-${width}-${theme}.png`), picture);
      const isShown = values.docs && width === 1440 && theme === "light" && /^(?:search|viewer)$/.test(view.name);
      if (isShown) {
        const small = await sharp(picture).png({ palette: true, quality: 80, effort: 10 }).toBuffer();
        await mkdir(docsFolder, { recursive: true });
        await writeFile(join(docsFolder, `console-${view.name}.png`), small);
      }
    }
  };
  for (const view of viewsSignedOut(stock).filter(isWanted)) await take(view);
  await signIn(page, url, apiKey);
  for (const view of viewsSignedIn(stock).filter(isWanted)) await take(view);
}

const { values, positionals } = parseArgs({
  options: {
    docs: { type: "boolean", default: false },
    view: { type: "string", multiple: true, default: [] },
  },
  allowPositionals: true,
});
const [folder = "screenshots"] = positionals;
if (!existsSync(chromiumPath)) {
  console.error(`There is no Chromium at ${chromiumPath}. Install it, on Debian with: apt-get install chromium`);
  process.exit(1);
}
await mkdir(folder, { recursive: true });
const server = await startServer();
try {
  const { apiKey } = server.credentials;
  const stock = await addStock(createDrs({ server: server.url, apiKey }), server.url);
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    for (const colorScheme of themes) {
      const context = await browser.newContext({ colorScheme, locale: "en-GB" });
      await takeAll(context, server.url, apiKey, stock, colorScheme);
      console.log(`${folder}: all views, ${colorScheme}`);
    }
  } finally {
    await browser.close();
  }
} finally {
  await server.remove();
}
