interface Candidate {
  /** Names its document. */
  readonly document: string;
  readonly page: number;
  readonly evidence: number;
}

/**
 * In the order of the candidates: how likely the page before or after it, whichever is the likelier, is to answer, against the
 * best of all; 0 to 1. An answer often goes on over the end of a page.
 */
export function neighboursOf(candidates: readonly Candidate[]): readonly number[] {
  const best = candidates.reduce((most, { evidence }) => Math.max(most, evidence), -Infinity);
  const likelihoods = new Map(
    candidates.map(({ document, page, evidence }) => [keyOf(document, page), Math.exp(evidence - best)]),
  );
  const at = (document: string, page: number): number => likelihoods.get(keyOf(document, page)) ?? 0;
  return candidates.map(({ document, page }) => Math.max(at(document, page - 1), at(document, page + 1)));
}

const keyOf = (document: string, page: number): string => `${document}/${page}`;
