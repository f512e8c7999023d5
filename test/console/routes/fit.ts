import type { Page } from "playwright-core";

/**
 * Finds what does not fit into the width of a page: the page itself if it scrolls sideways, controls outside of it, and choices
 * with cut text.
 */
const misfits = `(() => {
  const width = document.documentElement.clientWidth;
  const found = [];
  const over = document.documentElement.scrollWidth - width;
  if (over > 0) found.push("the page is " + over + " px too wide");
  const isHidden = (element) => !element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const canScroll = (element) => {
    for (let at = element.parentElement; at !== null && at !== document.documentElement; at = at.parentElement) {
      if (/auto|scroll/.test(getComputedStyle(at).overflowX)) return true;
    }
    return false;
  };
  const ruler = document.createElement("canvas").getContext("2d");
  for (const select of document.querySelectorAll("select")) {
    if (isHidden(select)) continue;
    const { font, paddingLeft, paddingRight } = getComputedStyle(select);
    ruler.font = font;
    const text = select.selectedOptions[0]?.text ?? "";
    const wanted = ruler.measureText(text).width + parseFloat(paddingLeft) + parseFloat(paddingRight);
    if (select.getBoundingClientRect().width < wanted) found.push("the choice of " + text + " is cut");
  }
  for (const element of document.querySelectorAll("a[href], button, input, select, textarea, summary, h1, h2")) {
    if (isHidden(element)) continue;
    const { left, right, width: own, height } = element.getBoundingClientRect();
    if (own <= 1 || height <= 1 || element.matches(".skip") || canScroll(element)) continue;
    if (left < -0.5 || right > width + 0.5) {
      found.push(element.outerHTML.slice(0, 120) + " from " + Math.round(left) + " to " + Math.round(right));
    }
  }
  return found;
})()`;

/** A window half as wide and as high, of twice as many points: what zooming to 200 % makes of one of 1,280 × 900. */
export const zoomed = { width: 640, height: 450, deviceScaleFactor: 2, mobile: false };
export const phone = { width: 390, height: 844, deviceScaleFactor: 3, mobile: false };

export async function misfitsAt(page: Page, window: typeof zoomed): Promise<readonly string[]> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Emulation.setDeviceMetricsOverride", window);
  // What follows the width does so in the next frames.
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
  const found = await page.evaluate<string[]>(misfits);
  await devtools.send("Emulation.clearDeviceMetricsOverride");
  await devtools.detach();
  return found.map((misfit) => `${window.width} px: ${misfit}`);
}
