import { maxCopiedBytes, minPartBytes } from "./piece.ts";

/** How a run of sources gets into the object: one is copied inside the store, or they are sent, cut into equal parts. */
export type Step =
  | { readonly kind: "copy"; readonly source: number }
  | { readonly kind: "send"; readonly sources: readonly number[]; readonly size: number };

/**
 * How to make an object of sources of these sizes, one after another. Every part but the last must have at least
 * `minPartBytes`, so that small sources are sent together with what follows them. Whole sources alone are copied: of a range
 * some endpoints note the checksum of the whole.
 */
export function planAssembly(sizes: readonly number[]): readonly Step[] {
  const steps: Step[] = [];
  let run: number[] = [];
  let size = 0;
  const endRun = (): void => {
    if (run.length > 0) steps.push({ kind: "send", sources: run, size });
    run = [];
    size = 0;
  };
  const last = sizes.findLastIndex((bytes) => bytes > 0);
  for (const [source, bytes] of sizes.entries()) {
    if (bytes === 0) continue;
    const mayBegin = size === 0 || size >= minPartBytes;
    const isLargeEnough = bytes >= minPartBytes || source === last;
    if (mayBegin && isLargeEnough && bytes <= maxCopiedBytes) {
      endRun();
      steps.push({ kind: "copy", source });
    } else {
      run.push(source);
      size += bytes;
    }
  }
  endRun();
  return steps;
}
