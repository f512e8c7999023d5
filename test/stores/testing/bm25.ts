/**
 * Okapi BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009; k1 1.2, b 0.75, Lucene's one added to the
 * idf's logarithm): the score of each text for the words, which stand between single spaces in both.
 */
export function bm25(texts: readonly string[], words: readonly string[]): number[] {
  const pages = texts.map((text) => text.split(" "));
  const meanLength = pages.reduce((sum, { length }) => sum + length, 0) / pages.length;
  return pages.map((page) =>
    [...new Set(words)].reduce((score, word) => {
      const having = pages.filter((other) => other.includes(word)).length;
      const idf = Math.log(1 + (pages.length - having + 0.5) / (having + 0.5));
      const count = page.filter((other) => other === word).length;
      return score + (idf * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * page.length) / meanLength));
    }, 0),
  );
}
