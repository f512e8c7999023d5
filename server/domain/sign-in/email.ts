/**
 * An e-mail address as it is compared: only the letters of ASCII lose their case, since in other alphabets different letters
 * may become the same.
 */
export function comparedEmail(email: string): string {
  return email.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** What follows the last @. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf("@") + 1);
}
