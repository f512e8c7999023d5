/** Small numbers in as few bytes as they need: seven bits in each, the lowest first; the highest bit says that more follow (LEB128). */
export class NumberBytes {
  #bytes = new Uint8Array(1_024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(number: number): void {
    this.#reserve(5);
    let rest = number;
    for (; rest > 0x7f; rest >>>= 7) this.#bytes[this.#length++] = rest | 0x80;
    this.#bytes[this.#length++] = rest;
  }

  /** Of other numbers, as they are. */
  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * this.#bytes.length + count);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }

  /** A copy of them all. */
  values(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }
}

/** Which of the numbers between two places of such bytes are marked, in their order; and how many numbers there are. */
export function findMarked(
  bytes: Uint8Array,
  [from, to]: readonly [from: number, to: number],
  marks: Uint16Array,
): { readonly length: number; readonly places: readonly number[]; readonly marks: readonly number[] } {
  const [places, found]: [number[], number[]] = [[], []];
  let [number, shift, length] = [0, 0, 0];
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    number |= (byte & 0x7f) << shift;
    if (byte > 0x7f) {
      shift += 7;
      continue;
    }
    const mark = marks[number] ?? 0;
    if (mark > 0) {
      places.push(length);
      found.push(mark);
    }
    [number, shift] = [0, 0];
    length += 1;
  }
  return { length, places, marks: found };
}
