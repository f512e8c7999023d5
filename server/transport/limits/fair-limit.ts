/** The dimensions by which parties are counted. */
export type Dimension = "link" | "caller" | "workspace" | "organisation" | "address";

/** The parties on whose behalf a request is processed, by dimension. Unknown parties are left out and not counted. */
export type Parties = Partial<Readonly<Record<Dimension, string | undefined>>>;

/** A place that is taken. */
export interface Hold {
  /** Counts the place for further parties too. Returns undefined if that succeeded. */
  count(parties: Parties): Excess | undefined;
  leave(): void;
}

/** Why there is no place: all are taken ("process"), or a party already holds its share. */
export type Excess =
  | { readonly dimension: "process" }
  | { readonly dimension: Dimension; /** Places that the party holds. */ readonly held: number };

/** A limit of concurrent places, of which every party leaves some to the others. */
export interface FairLimit {
  enter(parties: Parties): Hold | Excess;
  readonly taken: number;
}

/**
 * Maximum ratio of the places that a party holds to the free places. A single party takes up to a half at 1, and three
 * quarters at 3; two take a third, or three sevenths, each. A party that contains others (an organisation its keys, a
 * network its clients) may hold more than each of them, so that they also leave room to each other.
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
 * Switch", 1998): the number of places that a party may hold grows with the free places, so that a single party gets
 * many, and a newcomer always finds one. No place is taken back: a party that by now holds more than its share keeps
 * its places until they are freed.
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
          // The place itself is already taken, so it counts as free for its own parties.
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

/** In the order in which they are checked: the most specific first. */
const dimensions = ["link", "caller", "workspace", "organisation", "address"] as const;
