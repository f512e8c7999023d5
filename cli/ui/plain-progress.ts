import { printable } from "../output/printable.ts";
import type { Sink } from "../world.ts";
import { marks, type ProgressRow, type ProgressView } from "./progress-row.ts";

/** A line at every new note and at every quarter of the way: logs stay short. */
const steps = 4;

/** One line after another, for logs and pipes. */
export function showPlainProgress(sink: Sink): ProgressView {
  const said = new Map<string, string>();
  return {
    update(rows) {
      for (const row of rows) {
        if (row.state === "waiting") continue;
        const step = `${row.state} ${row.note} ${Math.floor((row.fraction ?? 0) * steps)}`;
        if (said.get(row.id) === step) continue;
        said.set(row.id, step);
        sink.write(`${plainLine(row)}\n`);
      }
    },
    async close() {
      said.clear();
    },
  };
}

function plainLine({ label, state, note, fraction, amount }: ProgressRow): string {
  const share = fraction === undefined ? [] : [`${Math.floor(fraction * 100)} %`];
  const details = state === "active" ? [...share, ...(amount === undefined ? [] : [amount])] : [];
  return `${marks[state]} ${printable(label)}: ${printable(note)}${details.length === 0 ? "" : ` (${details.join(", ")})`}`;
}
