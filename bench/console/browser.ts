import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { chromiumFlags, chromiumPath, signInto } from "../../test/service/chromium.ts";

interface BrowserOptions {
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

/** Milliseconds from the start of the navigation. */
interface FirstView {
  /** Until something is drawn. */
  readonly paintedMs: number;
  /** Until the field is drawn. */
  readonly shownMs: number;
  /** Until the field is drawn and no long task is running, so that typed text shows at once. */
  readonly interactiveMs: number;
  /** From a key press to the frame with its letter, once interactive. */
  readonly keyMs: number;
  /** Script, style and page as transferred. */
  readonly kilobytes: number;
}

/** Milliseconds without a long task (50 ms or more), during which typing would have to wait. */
const quietMs = 500;

/** Returns a script that records when the field is first drawn, and the tasks that delay typing. */
const watch = (field: string): string => `
  const shown = Promise.withResolvers();
  globalThis.firstView = { shown: shown.promise, tasks: [] };
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) firstView.tasks.push(startTime + duration);
  }).observe({ type: "longtask", buffered: true });
  const look = () => {
    const found = document.querySelector(${JSON.stringify(field)});
    if (found === null) return requestAnimationFrame(look);
    requestAnimationFrame(() => setTimeout(() => shown.resolve(performance.now())));
  };
  requestAnimationFrame(look);
`;

const measured = `(async () => {
  const shownMs = await firstView.shown;
  await new Promise((resolve) => setTimeout(resolve, ${quietMs}));
  const paintedMs = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN;
  const sizes = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  return {
    paintedMs,
    shownMs,
    interactiveMs: Math.max(paintedMs, shownMs, ...firstView.tasks),
    kilobytes: sizes.reduce((sum, { transferSize }) => sum + transferSize, 0) / 1000,
  };
})()`;

/** Returns a script that resolves with the milliseconds from the next key press to the frame after it. */
const timeKey = (field: string): string => `(() => {
  const input = document.querySelector(${JSON.stringify(field)});
  input.focus();
  globalThis.keyShown = new Promise((resolve) => {
    input.addEventListener("input", ({ timeStamp }) => {
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - timeStamp)));
    }, { once: true });
  });
})()`;

/** Opens the console in a browser with an empty cache, and waits until the field can be typed into. */
export async function timeFirstView(options: BrowserOptions, field: string): Promise<FirstView> {
  return withBrowser({ ...options, script: watch(field) }, async (page) => {
    await page.goto(options.url, { waitUntil: "commit" });
    const view = await page.evaluate<Omit<FirstView, "keyMs">>(measured);
    await page.evaluate(timeKey(field));
    await page.keyboard.type("a");
    const keyMs = await page.evaluate<number>("keyShown");
    const value = await page.locator(field).inputValue();
    if (value !== "a") throw new Error(`the field has ${JSON.stringify(value)} after a letter was typed`);
    return { ...view, keyMs };
  });
}
