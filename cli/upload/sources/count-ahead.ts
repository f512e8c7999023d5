import type { Expected } from "../progress/board.ts";
import type { Source, Unreadable } from "./source.ts";

/** Counts the documents while they are uploaded; it keeps only the totals. */
export function countAhead(sources: AsyncIterable<Source | Unreadable>): () => Expected {
  let expected: Expected = { files: 0, bytes: 0, complete: false };
  const count = async (): Promise<void> => {
    for await (const source of sources) {
      const bytes = source.kind === "file" ? source.size : 0;
      expected = { ...expected, files: expected.files + 1, bytes: expected.bytes + bytes };
    }
    expected = { ...expected, complete: true };
  };
  // The upload itself reports whatever cannot be counted.
  count().catch(() => undefined);
  return () => expected;
}
