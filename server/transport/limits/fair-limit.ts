/** What parties are told apart by. */
export type Dimension = "link" | "caller" | "workspace" | "organisation" | "address";

/** On whose behalf something is at work, by dimension; what is not known is left out and not counted. */
export type Parties = Partial<Readonly<Record<Dimension, string | undefined>>>;

/** A place that has been taken. */
export interface Hold {
  /** Counts the place for further parties as well; undefined: done. */
  count(parties: Parties): Excess | undefined;
  leave(): void;
}

/** Why there is no place: all are taken ("process"), or a party holds its share already. */
export type Excess =
  | { readonly dimension: "process" }
  | { readonly dimension: Dimension; /** Places that the party holds. */ readonly held: number };

/** So many at a time, of which every party leaves some to the others. */
export interface FairLimit {
  enter(parties: Parties): Hold | Excess;
  readonly taken: number;
}

/**
 * How many times what is free a party may hold. One that is alone takes up to a half at 1, three quarters at 3; two of
 * them a third or three sevenths each. One that holds other parties (an organisation its keys, a network its clients)
 * may hold more than each of them, so that they leave each other room as well.
 */
const shareOfFree: Readonly<Record<Dimension, number>> = {
  link: 1,
  caller: 1,
  workspace: 3,
  organisation: 3,
  address: 3,
};

/**
 * Shares places by dynamic thresholds (Choudhury and Hahne, "Dynamic Queue Length Thresholds in a Shared-Memory Packet
 * Switch", 1998): what a party may hold grows with what is free, so that one alone gets much and a newcomer always finds
 * a place. Nothing is taken back: those who hold more than their share by now keep it until they leave.
 */
export function createFairLimit(max: number): FairLimit {
  const held = new Map<string, number>();
  let taken = 0;

  const keysOf = (parties: Parties): readonly (readonly [Dimension, string])[] => {
    const known: [Dimension, string][] = [];
    for (const dimension of dimensions) {
      const id = parties[dimension];
      if (id !== undefined) known.push([dimension, `${dimension} ${id}`]);
    }
    return known;
  };
  const excessOf = (parties: Parties, free: number): Excess | undefined => {
    for (const [dimension, key] of keysOf(parties)) {
      const count = held.get(key) ?? 0;
      if (count >= shareOfFree[dimension] * free) return { dimension, held: count };
    }
    return undefined;
  };

  return {
    get taken() {
      return taken;
    },
    enter(parties) {
      if (taken >= max) return { dimension: "process" };
      const excess = excessOf(parties, max - taken);
      if (excess !== undefined) return excess;
      taken += 1;
      const keys: string[] = [];
      let isIn = true;
      const add = (more: Parties): void => {
        for (const [, key] of keysOf(more)) {
          keys.push(key);
          held.set(key, (held.get(key) ?? 0) + 1);
        }
      };
      add(parties);
      return {
        count(more) {
          // The place itself is taken already, so it is free as far as its own parties are concerned.
          const excess = isIn ? excessOf(more, max - taken + 1) : undefined;
          if (isIn && excess === undefined) add(more);
          return excess;
        },
        leave() {
          if (!isIn) return;
          isIn = false;
          taken -= 1;
          for (const key of keys) {
            const left = (held.get(key) ?? 1) - 1;
            if (left === 0) held.delete(key);
            else held.set(key, left);
          }
        },
      };
    },
  };
}

/** In the order in which they are checked: the most exact one is named first. */
const dimensions = ["link", "caller", "workspace", "organisation", "address"] as const;
