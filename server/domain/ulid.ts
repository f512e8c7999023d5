import { randomFillSync } from "node:crypto";
import { decodeTime, ulid } from "ulid";

/** Random bytes that are fetched at a time: a call for each byte costs more than all else. */
const pool = new Uint8Array(4096);
let used = pool.length;

/** From 0 to less than 1. */
function draw(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const byte = pool[used] ?? 0;
  // Nobody who reads the process's memory later learns it.
  pool[used] = 0;
  used += 1;
  return byte / 256;
}

/** In lower case: 48 bits of time, so that they sort by age, and 80 random bits, so that they cannot be guessed. */
export const newUlid = (): string => ulid(undefined, draw).toLowerCase();

/** When it was made, in ms since the epoch. */
export const timeOfUlid = (id: string): number => decodeTime(id.toUpperCase());
