/** A unit that begins a number of three: this, and its higher and lower 16 bits. */
const long = 0xffff;

/**
 * Numbers in 16 bits each, as most words of a table have; larger ones take three units. In as few bytes as each needs (LEB128) they take
 * 6 to 17 per cent less, but to go through them seven times as long.
 */
export class NumberUnits {
  #units = new Uint16Array(1_024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(number: number): void {
    this.#reserve(3);
    if (number < long) this.#units[this.#length++] = number;
    else {
      this.#units.set([long, number >>> 16, number & 0xffff], this.#length);
      this.#length += 3;
    }
  }

  /** Those of other numbers, as they are. */
  append(units: Uint16Array): void {
    this.#reserve(units.length);
    this.#units.set(units, this.#length);
    this.#length += units.length;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#units.length) return;
    const larger = new Uint16Array(2 * this.#units.length + count);
    larger.set(this.#units);
    this.#units = larger;
  }

  /** A copy of them all. */
  values(): Uint16Array {
    return this.#units.slice(0, this.#length);
  }
}

/** Which of the numbers between two places of such units are marked, in their order; and how many numbers there are. */
export function findMarked(
  units: Uint16Array,
  [from, to]: readonly [from: number, to: number],
  marks: Uint16Array,
): { readonly length: number; readonly places: readonly number[]; readonly marks: readonly number[] } {
  const [places, found]: [number[], number[]] = [[], []];
  let length = 0;
  for (let at = from; at < to; at++) {
    let number = units[at] ?? 0;
    if (number === long) {
      number = (units[at + 1] ?? 0) * 0x10000 + (units[at + 2] ?? 0);
      at += 2;
    }
    const mark = marks[number] ?? 0;
    if (mark > 0) {
      places.push(length);
      found.push(mark);
    }
    length += 1;
  }
  return { length, places, marks: found };
}
