import { canRedraw, type CommandIo, type Sink } from "../command-io.ts";
import { createEndings, hasEnded, marks, type ProgressRow, type ProgressView } from "./progress-row.ts";
import { printable } from "../output/printable.ts";

/** Shows progress on stderr: redrawn lines on a terminal, plain lines elsewhere. Ink is loaded only if it draws. */
export async function openProgress(io: CommandIo, json: boolean, settings: PlainSettings = {}): Promise<ProgressView> {
  if (json || !canRedraw(io.stderr, io.env)) return showPlainProgress(io.stderr, settings);
  const { showInkProgress } = await import("./progress-screen.ts");
  return showInkProgress(io.stderr, { coloured: (io.env["NO_COLOR"] ?? "") === "" });
}

/** Shows nothing. */
export const noProgress: ProgressView = { update: () => undefined, close: () => Promise.resolve() };

/** A line is printed for every new note and every quarter of the work, so that logs stay short. */
const steps = 4;
/** Interval of printing the totals, milliseconds. */
const totalsEveryMs = 30_000;

interface PlainSettings {
  /** Prints only how each row ended, for a large number of rows. */
  readonly brief?: boolean;
  /** Prints how each row ended; default: true. False if other output says the same. */
  readonly endings?: boolean;
}

/** Prints one line after another, for logs and pipes. */
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
