import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { chromiumFlags, chromiumPath, signInto } from "../../test/service/chromium.ts";

export interface BrowserOptions {
  /** The folder in which the profile is created. */
  readonly folder: string;
  /** The address of the service. */
  readonly url: string;
  /** The key that the browser signs in with, if any. */
  readonly apiKey?: string | undefined;
  /** Run in every page before its own scripts. */
  readonly script?: string;
}

const viewport = { width: 1280, height: 900 };

/** Runs the work with a new Chromium that has an empty profile and an empty page, and closes it afterwards. */
export async function withBrowser<Result>(
  { folder, url, apiKey, script }: BrowserOptions,
  work: (page: Page) => Promise<Result>,
): Promise<Result> {
  const profile = await mkdtemp(join(folder, "chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath,
    headless: true,
    args: chromiumFlags,
    viewport,
    locale: "en-GB",
  });
  try {
    if (apiKey !== undefined) await signInto(context, url, apiKey);
    if (script !== undefined) await context.addInitScript({ content: script });
    return await work(context.pages()[0] ?? (await context.newPage()));
  } finally {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  }
}
