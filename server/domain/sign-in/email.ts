/**
 * Normalises an e-mail address for comparison: only ASCII letters are lower-cased, since in other alphabets
 * different letters may become the same.
 */
export function comparedEmail(email: string): string {
  return email.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The part after the last @. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf("@") + 1);
}
