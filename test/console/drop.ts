import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/**
 * Drops files or folders of this machine on a place, as the browser itself does it: with their handles and entries. `taken`: what
 * shows that the page takes them, which is waited for above it.
 */
export async function dropFiles(page: Page, place: Locator, paths: readonly string[], taken?: Locator): Promise<void> {
  const box = await place.boundingBox();
  if (box === null) throw new Error("the place to drop on is not to be seen");
  const cdp = await page.context().newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  const lowest = (page.viewportSize()?.height ?? box.height) - 20;
  const at = { x: box.x + box.width / 2, y: Math.min(box.y + box.height / 2, lowest), data };
  await cdp.send("Input.dispatchDragEvent", { type: "dragEnter", ...at });
  const hover = async (): Promise<boolean> => {
    await cdp.send("Input.dispatchDragEvent", { type: "dragOver", ...at });
    return taken === undefined || taken.isVisible();
  };
  await expect.poll(hover, { timeout: 30_000 }).toBe(true);
  await cdp.send("Input.dispatchDragEvent", { type: "drop", ...at });
  await cdp.detach();
}
