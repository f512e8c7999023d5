/** Whole numbers below 2^32 in a row that has no end. */
export class GrowingNumbers {
  #numbers = new Uint32Array(1_024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** 0 of what has not been set. */
  at(place: number): number {
    return this.#numbers[place] ?? 0;
  }

  push(number: number): void {
    this.set(this.#length, number);
  }

  set(place: number, number: number): void {
    if (place >= this.#numbers.length) {
      const larger = new Uint32Array(2 * place);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[place] = number;
    if (place >= this.#length) this.#length = place + 1;
  }

  /** A view of them all. */
  values(): Uint32Array {
    return this.#numbers.subarray(0, this.#length);
  }
}
