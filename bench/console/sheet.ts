import type { Page } from "playwright-core";

/** Measurements of a contact sheet that is scrolled from top to bottom. */
interface Scrolled {
  readonly seconds: number;
  readonly frames: number;
  /** Frames a second: the mean, and the number in the worst second. */
  readonly meanRate: number;
  readonly leastRate: number;
  /** The longest time between two frames, milliseconds. */
  readonly worstFrameMs: number;
  /** Frames that came more than 34 ms after the previous one. */
  readonly lateFrames: number;
  /** The most pictures at one time. */
  readonly pictures: number;
  /** The script's heap, after a garbage collection at the bottom. */
  readonly heapMb: number;
}

const scroll = (pixelsPerSecond: number): string => `new Promise((resolve) => {
  const end = document.documentElement.scrollHeight - innerHeight;
  const frames = [];
  let pictures = 0;
  const look = (now) => {
    frames.push(now);
    const at = (now - frames[0]) / 1000 * ${pixelsPerSecond};
    if (frames.length % 10 === 0) pictures = Math.max(pictures, document.images.length);
    if (at > end) return resolve({ frames, pictures });
    scrollTo(0, at);
    requestAnimationFrame(look);
  };
  scrollTo(0, 0);
  setTimeout(() => requestAnimationFrame(look), 1000);
})`;

/** Scrolls the view at a constant speed. */
export async function scrollThrough(page: Page, pixelsPerSecond: number): Promise<Scrolled> {
  const { frames, pictures } = await page.evaluate<{ frames: number[]; pictures: number }>(scroll(pixelsPerSecond));
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  await devtools.detach();
  const seconds = ((frames.at(-1) ?? 0) - (frames[0] ?? 0)) / 1000;
  const gaps = frames.slice(1).map((at, index) => at - (frames[index] ?? 0));
  return {
    seconds,
    frames: frames.length,
    meanRate: gaps.length / seconds,
    leastRate: leastInASecond(frames),
    worstFrameMs: Math.max(...gaps),
    lateFrames: gaps.filter((gap) => gap > 34).length,
    pictures,
    heapMb: usedSize / 2 ** 20,
  };
}

/** Returns the fewest frames within one second from any frame; for a series shorter than a second, its mean rate. */
export function leastInASecond(frames: readonly number[]): number {
  const [first = 0] = frames;
  const last = frames.at(-1) ?? 0;
  if (last - first < 1000) return ((frames.length - 1) * 1000) / (last - first);
  const starts = frames.filter((at) => at + 1000 <= last);
  let end = 0;
  const counts = starts.map((start, index) => {
    while ((frames[end] ?? Infinity) < start + 1000) end++;
    return end - index;
  });
  return Math.min(...counts);
}
