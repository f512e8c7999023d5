import { invalid } from "../../../domain/errors.ts";

/** Both spellings of the scheme are common. */
const protocols: ReadonlySet<string> = new Set(["postgres:", "postgresql:"]);

/** Whether the address has the scheme of PostgreSQL. */
export const isPostgres = (url: string): boolean => protocols.has(URL.parse(url)?.protocol ?? "");

/**
 * Checks the address of a database. It may contain a password, so no message repeats it. Throws `invalid` if it names
 * no server or no database.
 */
export function readAddress(text: string): string {
  const url = URL.parse(text);
  const wanted = "--database-url (DRS_DATABASE_URL) must be an address such as postgres://user:password@host:5432/drs";
  if (url === null || !protocols.has(url.protocol)) throw invalid(wanted);
  const isSocket = url.searchParams.has("host");
  if (url.hostname === "" && !isSocket) throw invalid(`${wanted}; it names no host`);
  if (url.pathname.length < 2) throw invalid(`${wanted}; it names no database`);
  return text;
}
