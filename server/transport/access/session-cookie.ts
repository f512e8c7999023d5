import { forbidden } from "../../domain/errors.ts";

/** Pages of other sites cannot send it: their browser asks first whether they may, and is told that they may not. */
const consoleHeader = "x-drs-console";

type Header = Pick<Headers, "get">;

/**
 * The session that a request of the console came with. The cookie alone is none: it counts with the header that no other
 * site's page can send, and where the browser does not say that another site's page has sent it.
 */
export function sessionIn(header: Header, baseUrl: string): string | undefined {
  return isOfConsole(header, baseUrl) ? cookieIn(header, cookieName(baseUrl)) : undefined;
}

/** Throws `forbidden` unless the request can only be the console's own. */
export function requireConsole(header: Header, baseUrl: string): void {
  if (!isOfConsole(header, baseUrl)) {
    throw forbidden(`only pages of this server may do this; they send the header ${consoleHeader}`);
  }
}

/** The cookie that keeps a session in its browser. */
export function sessionCookie(secret: string, expiresAt: number, baseUrl: string): string {
  return cookie(secret, new Date(expiresAt), baseUrl);
}

/** Removes the cookie. */
export function noSessionCookie(baseUrl: string): string {
  return cookie("", new Date(0), baseUrl);
}

function cookie(value: string, expires: Date, baseUrl: string): string {
  const { protocol, pathname } = new URL(baseUrl);
  const attributes = [
    `${cookieName(baseUrl)}=${value}`,
    `Path=${pathname}`,
    `Expires=${expires.toUTCString()}`,
    "HttpOnly",
    "SameSite=Strict",
    ...(protocol === "https:" ? ["Secure"] : []),
  ];
  return attributes.join("; ");
}

/** Browsers do not keep the cookies of servers on different ports of a host apart. */
function cookieName(baseUrl: string): string {
  const { port } = new URL(baseUrl);
  return port === "" ? "drs_session" : `drs_session_${port}`;
}

function isOfConsole(header: Header, baseUrl: string): boolean {
  const site = header.get("sec-fetch-site");
  const origin = header.get("origin");
  return (
    header.get(consoleHeader) === "1" &&
    (site === null || site === "same-origin") &&
    (origin === null || origin === new URL(baseUrl).origin)
  );
}

function cookieIn(header: Header, name: string): string | undefined {
  const pairs = (header.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) || undefined;
}
