import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createDrs, type Drs } from "@drs/client";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import sharp from "sharp";
import { chromiumPath } from "../test/service/chromium.ts";
import { startServer } from "../test/service/start.ts";
import { makeDocuments } from "./screenshots/documents.ts";

/**
 * `npm run screenshots [-- FOLDER] [-- --docs]`: pictures of the console of a real server in a real Chromium, at three
 * widths and in both themes; with `--docs` also those that the README shows.
 */
const themes = ["light", "dark"] as const;
const widths = [390, 820, 1440];
const height = 900;
const docsFolder = "docs/images";

interface View {
  readonly name: string;
  readonly path: string;
  /** Selects what is there once the view is whole. */
  readonly whole: string;
}

async function upload(drs: Drs): Promise<string> {
  let first = "";
  for (const [fileName, bytes] of makeDocuments()) {
    const { id, datasetId } = await drs.datasets.upload(new Blob([bytes]), { fileName, vectorize: true });
    const { status, statusText } = await drs.jobs.wait(id);
    if (status === "ERROR") throw new Error(`${fileName} could not be read: ${statusText ?? ""}`);
    if (first === "") first = datasetId;
  }
  return first;
}

const viewsOf = (datasetId: string): readonly View[] => [
  { name: "search", path: "/search?q=cost+of+heating", whole: ".sheet-mark" },
  { name: "viewer", path: `/documents/${datasetId}/pages/1?q=cost+of+heating`, whole: ".viewer .sheet-loaded" },
  { name: "documents", path: "/documents", whole: ".document-link" },
  { name: "contact-sheet", path: `/documents/${datasetId}`, whole: ".contact-picture[src]" },
  { name: "upload", path: "/upload", whole: ".drop-target" },
  { name: "usage", path: "/admin/usage", whole: ".figures" },
  { name: "design", path: "/design", whole: "h1" },
];

async function signIn(page: Page, url: string, apiKey: string): Promise<void> {
  await page.goto(url);
  const field = page.locator("input[name=credential]");
  await field.fill(apiKey);
  await field.press("Enter");
  await page.locator("#content").waitFor();
}

/** Pictures still load after the first is there. */
async function shoot(page: Page): Promise<Buffer> {
  await page.waitForLoadState("networkidle");
  return page.screenshot({ animations: "disabled" });
}

async function takeAll(context: BrowserContext, url: string, apiKey: string, views: readonly View[], theme: string) {
  const page = await context.newPage();
  const entrance: View = { name: "sign-in", path: "/", whole: "input[name=credential]" };
  const take = async (view: View): Promise<void> => {
    for (const width of widths) {
      await page.setViewportSize({ width, height });
      await page.goto(`${url}${view.path}`);
      await page.locator(view.whole).first().waitFor();
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
  await take(entrance);
  await signIn(page, url, apiKey);
  for (const view of views) await take(view);
}

const { values, positionals } = parseArgs({
  options: { docs: { type: "boolean", default: false } },
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
  const views = viewsOf(await upload(createDrs({ server: server.url, apiKey })));
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    for (const colorScheme of themes) {
      const context = await browser.newContext({ colorScheme, locale: "en-GB" });
      await takeAll(context, server.url, apiKey, views, colorScheme);
      console.log(`${folder}: all views, ${colorScheme}`);
    }
  } finally {
    await browser.close();
  }
} finally {
  await server.remove();
}
