import { formatBytes } from "../output/amounts.ts";
import type { Output } from "../output/output.ts";

/** Interval of progress lines, milliseconds: often enough to look alive, seldom enough for a log. */
const everyMs = 2_000;

/** Returns a function that reports progress on stderr; it does nothing in JSON mode. */
export function tellProgress<Progress>(
  output: Output,
  textOf: (progress: Progress) => string,
): (progress: Progress) => void {
  let toldAt = performance.now();
  return (progress) => {
    if (output.json || performance.now() - toldAt < everyMs) return;
    toldAt = performance.now();
    output.note(textOf(progress));
  };
}

export const copyText = (amounts: {
  readonly files: number;
  readonly bytes: number;
  readonly copiedFiles: number;
  readonly copiedBytes: number;
}): string =>
  `${amounts.files} files, ${formatBytes(amounts.bytes)}; copied ${amounts.copiedFiles} files, ${formatBytes(amounts.copiedBytes)}`;
