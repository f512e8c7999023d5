import type { Table } from "@lancedb/lancedb";
import { retryVanished } from "./conflicts.ts";
import { versionOf } from "./standing.ts";

/**
 * What searches would ask tables for again and again, in memory. It answers for the version of the table that it was read from. What
 * a version has changed is read before it answers again, where that is little and known; what is not is read behind the searches, which ask the table
 * meanwhile.
 */
export interface Residents<Key, Content> {
  /** Undefined: it is not in memory. */
  of(table: Table, key: Key): Promise<Content | undefined>;
}

/** What was read of a table. */
interface Resident {
  /** Of the table. */
  readonly version: number;
  /** Memory. */
  readonly bytes: number;
}

/** There is more to read than there is room for. */
export class TooLarge extends Error {}

export interface Asked<Key, Content> {
  readonly table: Table;
  readonly key: Key;
  /** What was read of an older version. */
  readonly before: Content | undefined;
  /**
   * Others leave the memory until there is room for so much, those first that were used longest ago; what is in use stays. Throws
   * `TooLarge`.
   */
  readonly makeRoom: (bytes: number) => void;
}

/** What is to become what it is in a newer version. */
export interface Following<Key, Content> extends Asked<Key, Content> {
  readonly before: Content;
  /** Rows that may have come. */
  readonly maxAdded: number;
}

/** How much of it there may be, and when it changes. */
export interface Bounds {
  /** Of all together. */
  readonly maxBytes: number;
  /** So long a version lasts before it is read where none is followed: while documents are indexed, one comes after the other. */
  readonly lastingMs: number;
  /** What was used since then is in use: two that do not fit beside each other would be read again and again, each for the other. */
  readonly inUseMs: number;
}

export const usualBounds: Bounds = { maxBytes: 128 * 2 ** 20, lastingMs: 1_000, inUseMs: 60_000 };

interface Options<Key, Content> extends Bounds {
  /** Tells keys of one table apart. */
  readonly nameOf: (key: Key) => string;
  /** Undefined if others have written meanwhile, or there is nothing of the kind in the table. */
  readonly read: (asked: Asked<Key, Content>) => Promise<Content | undefined>;
  /** By what has changed, which may be written to what was there before; undefined where that is not known, or too much. */
  readonly follow?: ((asked: Following<Key, Content>) => Promise<Content | undefined>) | undefined;
}

interface State<Content> {
  content?: Content | undefined;
  /** The version that was asked for last, and when it was first, by `performance.now`. */
  version: number;
  since: number;
  isReading: boolean;
  following?: Promise<void> | undefined;
  /** The version that could not be followed. */
  lost?: number | undefined;
  notBefore: number;
  usedAt: number;
}

/**
 * Reading may take a fifth of the time: less, and searches ask the table long after it has changed, which takes them several times as long.
 */
const pausePerReading = 4;
/** Rows that a search waits for: 50 ms, once for all that are asked meanwhile. */
const maxAwaited = 1_000;
/** Versions that come while one is followed. */
const maxFollowed = 3;
/** What was too large is looked at again after so long. */
const pauseOfLargeMs = 60_000;

export function createResidents<Key, Content extends Resident>({
  maxBytes,
  lastingMs,
  inUseMs,
  nameOf,
  read,
  follow,
}: Options<Key, Content>): Residents<Key, Content> {
  const tables = new WeakMap<Table, Map<string, State<Content>>>();
  const inMemory = new Set<State<Content>>();

  function stateOf(table: Table, key: Key, version: number): State<Content> {
    const states = tables.get(table) ?? new Map<string, State<Content>>();
    tables.set(table, states);
    const now = performance.now();
    const state = states.get(nameOf(key)) ?? { version, since: now, isReading: false, notBefore: 0, usedAt: now };
    states.set(nameOf(key), state);
    if (state.version !== version) Object.assign(state, { version, since: now });
    state.usedAt = now;
    return state;
  }

  function drop(state: State<Content>): void {
    state.content = undefined;
    inMemory.delete(state);
  }

  function makeRoom(own: State<Content>, bytes: number): void {
    if (bytes > maxBytes) throw new TooLarge(`${bytes} bytes where there is room for ${maxBytes}`);
    const others = [...inMemory].filter((other) => other !== own);
    const leaving: State<Content>[] = [];
    let held = bytes;
    for (const other of others.toSorted((one, two) => two.usedAt - one.usedAt)) {
      const size = other.content?.bytes ?? 0;
      if (held + size > maxBytes) leaving.push(other);
      else held += size;
    }
    const since = performance.now() - inUseMs;
    if (leaving.some(({ usedAt }) => usedAt > since)) throw new TooLarge(`${bytes} bytes beside what is in use`);
    for (const other of leaving) drop(other);
  }

  function keep(state: State<Content>, content: Content): void {
    makeRoom(state, content.bytes);
    state.content = content;
    inMemory.add(state);
  }

  /** Drops what there is no room for. */
  async function keeping(state: State<Content>, task: () => Promise<Content | undefined>): Promise<Kept> {
    try {
      const content = await task();
      if (content === undefined) return "nothing";
      keep(state, content);
      return "kept";
    } catch (cause) {
      // Of anything else the search that asks the table says what is wrong.
      if (!(cause instanceof TooLarge)) return "nothing";
      drop(state);
      return "too large";
    }
  }

  const askedOf = (table: Table, key: Key, state: State<Content>): Asked<Key, Content> => ({
    table,
    key,
    before: state.content,
    makeRoom: (bytes) => makeRoom(state, bytes),
  });

  async function followOnce(table: Table, key: Key, state: State<Content>, version: number): Promise<void> {
    const { content } = state;
    if (content === undefined) return;
    const kept = await keeping(state, async () =>
      follow?.({ ...askedOf(table, key, state), before: content, maxAdded: maxAwaited }),
    );
    if (kept === "too large") state.notBefore = performance.now() + pauseOfLargeMs;
    if (kept !== "kept") state.lost = version;
  }

  async function renew(table: Table, key: Key, state: State<Content>): Promise<void> {
    const startedAt = performance.now();
    const before = state.content;
    let kept: Kept = "nothing";
    if (before !== undefined && follow !== undefined) {
      kept = await keeping(state, () => follow({ ...askedOf(table, key, state), before, maxAdded: Infinity }));
    }
    if (kept === "nothing") {
      kept = await keeping(state, () => retryVanished(() => read(askedOf(table, key, state))));
    }
    const now = performance.now();
    state.notBefore = now + (kept === "too large" ? pauseOfLargeMs : 0) + (now - startedAt) * pausePerReading;
    state.isReading = false;
  }

  /** Whether what is there becomes that of the version before it answers. */
  const isFollowed = ({ content, isReading, lost }: State<Content>, version: number): boolean =>
    follow !== undefined && content !== undefined && content.version !== version && !isReading && lost !== version;

  return {
    async of(table, key) {
      let version = await versionOf(table);
      const state = stateOf(table, key, version);
      for (let time = 0; time < maxFollowed && isFollowed(state, version); time++) {
        await (state.following ??= followOnce(table, key, state, version).finally(() => (state.following = undefined)));
        version = await versionOf(table);
      }
      if (state.content?.version === version) return state.content;
      const now = performance.now();
      const hasLasted = follow !== undefined || now - state.since >= lastingMs;
      if (!state.isReading && state.following === undefined && hasLasted && now >= state.notBefore) {
        state.isReading = true;
        void renew(table, key, state);
      }
      return undefined;
    },
  };
}

type Kept = "kept" | "nothing" | "too large";
