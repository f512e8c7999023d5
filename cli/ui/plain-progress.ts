import { printable } from "../output/printable.ts";
import type { Sink } from "../world.ts";
import { createEndings, hasEnded, marks, type ProgressRow, type ProgressView } from "./progress-row.ts";

/** A line at every new note and at every quarter of the way: logs stay short. */
const steps = 4;
/** How often the totals are said, milliseconds: enough to see that it goes on. */
const totalsEveryMs = 30_000;

export interface PlainSettings {
  /** Say only how each row ended: for many of them. */
  readonly brief?: boolean;
  /** Say how each row ended; default: true. Not where the same stands in what is printed beside it. */
  readonly endings?: boolean;
}

/** One line after another, for logs and pipes. */
export function showPlainProgress(
  sink: Sink,
  { brief = false, endings: saysEndings = true }: PlainSettings = {},
): ProgressView {
  const said = new Map<string, string>();
  const endings = createEndings();
  let totalsAt = Date.now();
  const write = (text: string): void => void sink.write(`${text}\n`);
  return {
    update(rows, totals = []) {
      for (const row of endings(rows)) {
        said.delete(row.id);
        if (saysEndings) for (const line of endedLines(row)) write(line);
      }
      for (const row of rows) {
        if (brief || row.state === "waiting" || hasEnded(row)) continue;
        const step = `${row.note} ${Math.floor((row.fraction ?? 0) * steps)}`;
        if (said.get(row.id) === step) continue;
        said.set(row.id, step);
        write(plainLine(row));
      }
      if (totals.length > 0 && Date.now() - totalsAt >= totalsEveryMs) {
        totalsAt = Date.now();
        write(totals.join(", "));
      }
    },
    async close() {
      said.clear();
    },
  };
}

function endedLines(row: ProgressRow): readonly string[] {
  const [first, ...rest] = row.lines ?? [];
  return first === undefined ? [plainLine(row)] : [`${marks[row.state]} ${first}`, ...rest];
}

function plainLine({ label, state, note, fraction, amount, left }: ProgressRow): string {
  const share = fraction === undefined ? [] : [`${Math.floor(fraction * 100)} %`];
  const details = state === "active" ? [...share, ...[amount, left].filter((text) => text !== undefined)] : [];
  return `${marks[state]} ${printable(label)}: ${printable(note)}${details.length === 0 ? "" : ` (${details.join(", ")})`}`;
}
