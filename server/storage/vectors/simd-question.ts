/*
 * Questions as whole numbers of 16 bits, so that no sum of their products with signed bytes, of all dimensions, leaves 32 bits.
 */

const largestByte = 127;

/** How many of the whole numbers the largest dimension of a question is, and what one of them stands for. */
function scaleOf(question: Float64Array): { readonly largest: number; readonly range: number; readonly unit: number } {
  let largest = 0;
  for (let at = 0; at < question.length; at++) largest = Math.max(largest, Math.abs(question[at] ?? 0));
  const range = Math.min(32_767, Math.floor((2 ** 31 - 1) / (largestByte * question.length)));
  return { largest: largest === 0 ? 1 : largest, range, unit: largest / range };
}

/** Gives what one of the whole numbers stands for. */
export function writeQuestion(question: Float64Array, asked: Int16Array): number {
  const { largest, range, unit } = scaleOf(question);
  for (let at = 0; at < question.length; at++) asked[at] = Math.round(((question[at] ?? 0) / largest) * range);
  return unit;
}

/** What `writeQuestion` rounds off, likewise: with both a product is exact to a billionth. */
export function writeRest(question: Float64Array, asked: Int16Array): number {
  const { largest, range, unit } = scaleOf(question);
  for (let at = 0; at < question.length; at++) {
    const value = ((question[at] ?? 0) / largest) * range;
    asked[at] = Math.round((value - Math.round(value)) * 2 * range);
  }
  return unit / (2 * range);
}
