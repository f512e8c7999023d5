import { formatBytes, formatDuration } from "../../output/amounts.ts";
import { createRate, type ProgressRow, type ProgressView } from "../../ui/progress-row.ts";
import { failedPages, hasFailed, noteOf, resultLines, type UploadResult } from "../results/outcome.ts";
import { counted, emptyTally, type Tally } from "../results/tally.ts";

/** The total amount of work, as far as it has been counted. */
export interface Expected {
  readonly files: number;
  /** Bytes of the files on this machine. */
  readonly bytes: number;
  /** Whether everything has been counted. */
  readonly complete: boolean;
}

/** The current step of one file. */
export interface Step {
  readonly note: string;
  readonly fraction?: number | undefined;
  readonly amount?: string | undefined;
  readonly left?: string | undefined;
  /** Bytes of it that have been sent; default: unchanged. */
  readonly sentBytes?: number | undefined;
}

/** Shows the current step of a document. */
export type Show = (step: Step) => void;

/** Shows the files in progress as lines, with totals below. */
interface Board {
  open(label: string): { show: Show; end(result: UploadResult): void };
  /** Called when the service stops answering, and when it answers again. */
  away(away: boolean): void;
  close(): Promise<void>;
}

/** Rates and remaining times change even if nothing happens. */
const tickMs = 1_000;

export function createBoard(view: ProgressView, expected: () => Expected | undefined): Board {
  const active = new Map<string, ProgressRow & { readonly sentBytes: number }>();
  const rateOf = createRate();
  let ended = emptyTally;
  let isAway = false;
  let opened = 0;
  const totals = (): string[] => {
    const sending = [...active.values()].reduce((sum, { sentBytes }) => sum + sentBytes, 0);
    const sent = ended.sentBytes + sending;
    const rate = rateOf(sent);
    const whole = expected();
    const away = isAway ? ["the server does not answer, trying again"] : [];
    // A single document needs no total.
    if (whole?.complete === true && whole.files < 2) return away;
    return [...away, ...totalsOf(ended, sent, rate, whole)];
  };
  const update = (last: readonly ProgressRow[] = []): void => view.update([...active.values(), ...last], totals());
  const ticker = setInterval(update, tickMs).unref();
  return {
    open(label) {
      const id = String((opened += 1));
      return {
        show({ sentBytes = active.get(id)?.sentBytes ?? 0, ...step }) {
          active.set(id, { id, label, state: "active", ...step, sentBytes });
          update();
        },
        end(result) {
          active.delete(id);
          ended = counted(ended, result);
          update([{ id, label, state: stateOf(result), note: noteOf(result), lines: wholeOf(result) }]);
        },
      };
    },
    away(away) {
      isAway = away;
      update();
    },
    async close() {
      clearInterval(ticker);
      await view.close();
    },
  };
}

/** Returns all lines of a document that failed, wholly or partly: they are not printed again. */
function wholeOf(result: UploadResult): readonly string[] | undefined {
  const lines = resultLines(result);
  return hasFailed(result) || lines.length > 1 ? lines : undefined;
}

function stateOf(result: UploadResult): ProgressRow["state"] {
  if (hasFailed(result)) return "failed";
  if (failedPages(result).length > 0) return "partly";
  return result.outcome === "skipped" ? "skipped" : "done";
}

/** Returns the totals in pieces, most important first. */
function totalsOf(tally: Tally, sent: number, rate: number | undefined, expected: Expected | undefined): string[] {
  const { uploaded, vectorized, skipped, failed, sentBytes, endedBytes } = tally;
  const all = expected === undefined ? "" : ` of ${expected.files}${expected.complete ? "" : "+"}`;
  const parts = [
    `${uploaded + vectorized} done`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(skipped === 0 ? [] : [`${skipped} already there`]),
  ];
  // Files that ended without being sent are not sent any more.
  const toSend = expected?.complete === true ? Math.max(sent, expected.bytes - (endedBytes - sentBytes)) : undefined;
  const left = toSend === undefined || rate === undefined || rate <= 0 ? undefined : ((toSend - sent) / rate) * 1000;
  return [
    `${parts.join(", ")}${all}`,
    ...(left === undefined || left < 1000 ? [] : [`${formatDuration(left)} left`]),
    ...(sent === 0 ? [] : [`${formatBytes(sent)}${toSend === undefined ? "" : ` of ${formatBytes(toSend)}`} sent`]),
    ...(rate === undefined || rate < 1 ? [] : [`${formatBytes(rate)}/s`]),
  ];
}
