/*
 * Questions as whole numbers of 16 bits, so that no sum of their products with signed bytes, of all dimensions, leaves 32 bits.
 */

const largestByte = 127;

const rangeOf = ({ length }: Float64Array): number =>
  Math.min(32_767, Math.floor((2 ** 31 - 1) / (largestByte * length)));

const largestOf = (question: Float64Array): number =>
  question.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

/** Gives what one of the whole numbers stands for. */
export function writeQuestion(
  question: Float64Array,
  asked: Int16Array,
  placeOf: (dimension: number) => number = (dimension) => dimension,
): number {
  const [largest, range] = [largestOf(question), rangeOf(question)];
  for (let at = 0; at < question.length; at++) {
    asked[placeOf(at)] = largest === 0 ? 0 : Math.round(((question[at] ?? 0) / largest) * range);
  }
  return largest / range;
}

/** What `writeQuestion` rounds off, likewise: with both a product is exact to a billionth. */
export function writeRest(question: Float64Array, asked: Int16Array): number {
  const [largest, range] = [largestOf(question), rangeOf(question)];
  for (let at = 0; at < question.length; at++) {
    const value = largest === 0 ? 0 : ((question[at] ?? 0) / largest) * range;
    asked[at] = Math.round((value - Math.round(value)) * 2 * range);
  }
  return largest / range / (2 * range);
}
