import type { Table } from "@lancedb/lancedb";
import { retryVanished } from "../conflicts.ts";
import { versionOf } from "../standing.ts";
import { readWords, type ReadWords, TooLarge } from "./read-words.ts";
import type { TableWords } from "./table-words.ts";

/**
 * The words of tables that are asked again and again, in memory: to look for pages there takes a twentieth of what the index of the
 * table takes, and finds the same with the same scores. They answer for the version of the table that they were read from; what
 * changes is read behind the searches, which meanwhile ask the index.
 */
export interface WordsInMemory {
  /** Undefined: they are not in memory. */
  of(table: Table): Promise<TableWords | undefined>;
}

interface Options {
  /** Of all tables together; some 100,000 pages of 130 different words. */
  readonly maxBytes?: number;
  /** So long a version lasts before its words are read: while documents are indexed, one follows the other. */
  readonly lastingMs?: number;
}

interface State {
  read?: ReadWords | undefined;
  /** The version that was asked for last, and when it was first, by `performance.now`. */
  version: number;
  since: number;
  isReading: boolean;
  notBefore: number;
  usedAt: number;
}

/** Reading may take a twentieth of the time. */
const pausePerReading = 20;
/** Tables that were too large are counted again after so long. */
const pauseOfLargeMs = 60_000;

export function createWordsInMemory({ maxBytes = 128 * 2 ** 20, lastingMs = 1_000 }: Options = {}): WordsInMemory {
  const states = new WeakMap<Table, State>();
  const inMemory = new Set<State>();

  function stateOf(table: Table, version: number): State {
    const now = performance.now();
    const state = states.get(table) ?? { version, since: now, isReading: false, notBefore: 0, usedAt: now };
    states.set(table, state);
    if (state.version !== version) Object.assign(state, { version, since: now });
    state.usedAt = now;
    return state;
  }

  /** What was used longest ago goes first. */
  function makeRoom(): void {
    let held = 0;
    for (const state of [...inMemory].toSorted((one, other) => other.usedAt - one.usedAt)) {
      held += state.read?.words.bytes ?? 0;
      if (held <= maxBytes) continue;
      state.read = undefined;
      inMemory.delete(state);
    }
  }

  async function read(table: Table, state: State): Promise<void> {
    const startedAt = performance.now();
    let pause = 0;
    try {
      const found = await retryVanished(() => readWords(table, { before: state.read, maxBytes }));
      if (found === undefined) return;
      state.read = found;
      inMemory.add(state);
      makeRoom();
    } catch (cause) {
      // What is wrong is said by the search that asks the index.
      if (!(cause instanceof TooLarge)) return;
      state.read = undefined;
      inMemory.delete(state);
      pause = pauseOfLargeMs;
    } finally {
      const now = performance.now();
      state.notBefore = now + pause + (now - startedAt) * pausePerReading;
      state.isReading = false;
    }
  }

  return {
    async of(table) {
      const version = await versionOf(table);
      const state = stateOf(table, version);
      if (state.read?.version === version) return state.read.words;
      const now = performance.now();
      if (!state.isReading && now - state.since >= lastingMs && now >= state.notBefore) {
        state.isReading = true;
        void read(table, state);
      }
      return undefined;
    },
  };
}
