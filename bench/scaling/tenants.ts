export interface Organisation {
  readonly pages: number;
}

/**
 * Makes organisations whose sizes follow Zipf's law: the nth largest has pages in proportion to 1 / n to the exponent. Together
 * they have exactly `pages`, and each has at least one.
 */
export function makeOrganisations(count: number, pages: number, exponent: number): readonly Organisation[] {
  const shares = Array.from({ length: count }, (_, index) => (index + 1) ** -exponent);
  const all = shares.reduce((sum, share) => sum + share, 0);
  const sizes = shares.map((share) => Math.max(1, Math.floor((share / all) * pages)));
  const missing = pages - sizes.reduce((sum, size) => sum + size, 0);
  const [largest = 0] = sizes;
  if (largest + missing < 1) throw new RangeError(`${pages} pages are too few for ${count} organisations`);
  return sizes.map((size, index) => ({ pages: index === 0 ? size + missing : size }));
}
