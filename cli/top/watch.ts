import { setTimeout as sleep } from "node:timers/promises";
import type { Ask } from "../connection/ask.ts";
import { CliError, describeFailure } from "../failures.ts";
import { exitCodes } from "../exit-codes.ts";
import { parseState, type Snapshot, snapshotOf, type State } from "./snapshot.ts";

const path = "/operator/state";

/** Rates are averages over this time, milliseconds, to even out groups of pages. */
const rateSpanMs = 10_000;
/** Number of rates that are kept for the small history. */
const keptRates = 40;

export interface View {
  readonly snapshot: Snapshot | undefined;
  /** Pages read per second, the newest last. */
  readonly rates: readonly number[];
  /** Why the newest state is missing; undefined if it is not. */
  readonly trouble: string | undefined;
}

/** Returns the current state, with rates of the last two seconds. */
export async function lookOnce(ask: Ask, signal: AbortSignal, spanMs = 2_000): Promise<Snapshot> {
  const before = parseState(await ask(path, signal));
  await sleep(spanMs, undefined, { signal });
  return snapshotOf(parseState(await ask(path, signal)), before);
}

/**
 * Polls the server until the signal is aborted; a server that does not answer is asked again. Throws if the key lacks
 * the permission, or if the first request fails.
 */
export async function watchState(
  ask: Ask,
  { everyMs, signal, show }: { readonly everyMs: number; readonly signal: AbortSignal; show(view: View): void },
): Promise<void> {
  let states: readonly State[] = [];
  let view: View = { snapshot: undefined, rates: [], trouble: undefined };
  while (!signal.aborted) {
    try {
      const state = parseState(await ask(path, signal));
      states = [...states.filter(({ at }) => at >= state.at - rateSpanMs && at < state.at), state];
      const snapshot = snapshotOf(state, states.length < 2 ? undefined : states[0]);
      const rates = snapshot.pagesPerSecond === undefined ? view.rates : [...view.rates, snapshot.pagesPerSecond.read];
      view = { snapshot, rates: rates.slice(-keptRates), trouble: undefined };
    } catch (cause) {
      if (signal.aborted) return;
      const isLasting = cause instanceof CliError && cause.exitCode === exitCodes.auth;
      if (isLasting || view.snapshot === undefined) throw cause;
      view = { ...view, trouble: describeFailure(cause).message };
    }
    show(view);
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
}
