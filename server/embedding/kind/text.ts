export const textFeatureCount = 8;

/** Characters of a page's words that are examined: a table shows early, and hostile pages have millions. */
const maxLength = 20_000;

/** Features of the page's words that hint at its type; all 0 for a page without words, such as a scan. */
export function textFeatures(words: string): number[] {
  const text = words.slice(0, maxLength);
  const tokens = text.split(/\s+/u).filter((token) => token !== "");
  const share = (pattern: RegExp): number =>
    tokens.length === 0 ? 0 : tokens.filter((token) => pattern.test(token)).length / tokens.length;
  return [
    tokens.length === 0 ? 0 : 1,
    Math.log1p(tokens.length) / 8,
    share(/^[-+(±$€£]?\d[\d.,:%)]*$/u),
    share(/^\p{L}/u),
    share(/:$/u),
    /\b(tab(le|elle)?|tableau|tabla|tabella)\.? ?\d{1,3}(\.\d{1,2})?[.:]/iu.test(text) ? 1 : 0,
    /\b(fig(ure|ura)?|abb(ildung)?)\.? ?\d{1,3}(\.\d{1,2})?[.:]/iu.test(text) ? 1 : 0,
    Math.min(1, share(/_{3,}|\.{5,}|[☐□]/u) * 10),
  ];
}
