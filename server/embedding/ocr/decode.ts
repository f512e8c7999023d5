/** A word that was read, and the geometric mean of its letters' likelihoods. */
export interface ReadWord {
  readonly text: string;
  readonly confidence: number;
}

/**
 * Decodes the words of a line from the likeliest letter of each step: repeated letters count once unless "none" divides
 * them (connectionist temporal classification, A. Graves and others, ICML 2006; best path).
 */
export function wordsOf(numbers: Int32Array, likelihoods: Float32Array, letters: readonly string[]): ReadWord[] {
  const words: ReadWord[] = [];
  let text = "";
  let logs = 0;
  let count = 0;
  const finish = (): void => {
    if (text !== "") words.push({ text, confidence: Math.exp(logs / count) });
    text = "";
    logs = 0;
    count = 0;
  };
  let before = 0;
  for (let step = 0; step < numbers.length; step += 1) {
    const number = numbers[step] ?? 0;
    const letter = letters[number - 1];
    if (number !== before && letter !== undefined) {
      if (letter === " ") finish();
      else {
        text += letter;
        logs += Math.log(Math.max(1e-6, likelihoods[step] ?? 0));
        count += 1;
      }
    }
    before = number;
  }
  finish();
  return words;
}
