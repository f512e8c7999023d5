import { type BrowserOptions, withBrowser } from "./browser.ts";

/** All from the start of the navigation, milliseconds. */
export interface FirstView {
  /** Something is drawn. */
  readonly paintedMs: number;
  /** The field is there and has been drawn. */
  readonly shownMs: number;
  /** The field is drawn and no long task is at work: what is typed shows at once. */
  readonly interactiveMs: number;
  /** From a key to the frame with its letter, once it is interactive. */
  readonly keyMs: number;
  /** Script, style and page, as they came over the line. */
  readonly kilobytes: number;
}

/** A task of 50 ms or more is long: what is typed meanwhile waits for it. */
const quietMs = 500;

/** Notes when the first field to type into has been drawn, and the tasks that hold up typing. */
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

/** Resolves with the milliseconds from the next key to the frame after it. */
const timeKey = (field: string): string => `(() => {
  const input = document.querySelector(${JSON.stringify(field)});
  input.focus();
  globalThis.keyShown = new Promise((resolve) => {
    input.addEventListener("input", ({ timeStamp }) => {
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - timeStamp)));
    }, { once: true });
  });
})()`;

/** The console in a browser that has never seen it, until one can type into the field. */
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
