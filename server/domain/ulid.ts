import { randomFillSync } from "node:crypto";
import { decodeTime, ulid } from "ulid";

/** Random bytes are fetched in blocks, because a call for each byte would dominate the cost. */
const pool = new Uint8Array(4096);
let used = pool.length;

/** Returns a random number from 0 to less than 1. */
function draw(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const byte = pool[used] ?? 0;
  // So that nobody who reads the process's memory later learns it.
  pool[used] = 0;
  used += 1;
  return byte / 256;
}

/**
 * Returns a ULID in lower case: 48 bits of time, so that ids sort by age, and 80 random bits, so that they cannot
 * be guessed.
 */
export const newUlid = (): string => ulid(undefined, draw).toLowerCase();

/** When the id was created, in ms since the epoch. */
export const timeOfUlid = (id: string): number => decodeTime(id.toUpperCase());
