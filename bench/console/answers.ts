import type { Page } from "playwright-core";

/** Milliseconds from the key press that starts the search. */
export interface AnswerTimes {
  /** Until the first page of the answer is visible. */
  readonly firstMs: number;
  /** Until every page of the first row is visible. */
  readonly rowMs: number;
  /** Until every page in the window is visible. */
  readonly windowMs: number;
}

const field = "input[name=q]";
const timeoutMs = 60_000;
/** Milliseconds between keys; faster than people type, since only the last key counts. */
const keyMs = 15;
/** Milliseconds of rest, so that loading of the previous answer does not count. */
const restMs = 1_200;

/** Returns a script that follows the pictures of an answer frame by frame, from the Enter key. */
const follow = (words: string): string => `(() => {
  globalThis.answer = new Promise((resolve) => {
    addEventListener("keydown", function asked(event) {
      if (event.key !== "Enter") return;
      removeEventListener("keydown", asked, true);
      const since = event.timeStamp;
      const times = {};
      const decoded = new WeakSet();
      const isSeen = (hit) => {
        const image = hit.querySelector("img");
        if (image === null) return hit.querySelector(".sheet-broken") !== null;
        if (!image.complete || image.naturalWidth === 0 || getComputedStyle(image).opacity !== "1") return false;
        if (decoded.has(image)) return true;
        image.decode().then(() => decoded.add(image), () => undefined);
        return false;
      };
      const look = () => {
        const isIts = new URLSearchParams(location.search).get("q") === ${JSON.stringify(words)};
        const isLate = document.querySelector(".results-late") !== null;
        const hits = isIts && !isLate ? [...document.querySelectorAll("ol.hits > li")] : [];
        const tops = hits.map((hit) => hit.getBoundingClientRect().top);
        const now = performance.now() - since;
        if (hits.length > 0) {
          if (isSeen(hits[0])) times.firstMs ??= now;
          if (hits.filter((_, index) => tops[index] === tops[0]).every(isSeen)) times.rowMs ??= now;
          const inWindow = hits.filter((_, index) => tops[index] < innerHeight);
          if (inWindow.map(isSeen).every(Boolean)) times.windowMs ??= now;
        }
        if (times.windowMs !== undefined || now > ${timeoutMs}) resolve(times);
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }, true);
  });
})()`;

/** Types a question into the search field, asks it, and waits for the pages in the window. */
export async function timeAnswer(page: Page, words: string): Promise<AnswerTimes> {
  await page.waitForTimeout(restMs);
  await page.locator(field).click({ clickCount: 3 });
  await page.keyboard.type(words, { delay: keyMs });
  await page.evaluate(follow(words));
  await page.keyboard.press("Enter");
  const times = await page.evaluate<Partial<AnswerTimes>>("answer");
  const { firstMs, rowMs, windowMs } = times;
  if (firstMs === undefined || rowMs === undefined || windowMs === undefined) {
    throw new Error(`"${words}" shows no pages of an answer within ${timeoutMs / 1000} s`);
  }
  return { firstMs, rowMs, windowMs };
}
