import { forbidden } from "../../domain/errors.ts";
import type { SessionProof } from "../../domain/sessions/session.ts";

/**
 * Has the secret of the pages that the session is of, or anything before there is one. Pages of other sites cannot send the header:
 * their browser asks first whether they may, and is told that they may not.
 */
const consoleHeader = "x-drs-console";

type Header = Pick<Headers, "get">;

/**
 * The session that a request of the console came with. The cookie alone is none, because the servers on all ports of the host get
 * it: it counts with the secret in the header that the pages of this origin keep, and where the browser does not say that another
 * site's page has sent it.
 */
export function sessionIn(header: Header, baseUrl: string): SessionProof | undefined {
  const secret = isOfConsole(header, baseUrl) ? cookieIn(header, cookieName(sessionName, baseUrl)) : undefined;
  return secret === undefined ? undefined : { secret, pageSecret: header.get(consoleHeader) ?? "" };
}

/** Throws `forbidden` unless the request can only be the console's own. */
export function requireConsole(header: Header, baseUrl: string): void {
  if (!isOfConsole(header, baseUrl)) {
    throw forbidden(`only pages of this server may do this; they send the header ${consoleHeader}`);
  }
}

/** The cookie that keeps a session in its browser. */
export function sessionCookie(secret: string, expiresAt: number, baseUrl: string): string {
  return cookie(sessionName, secret, { expires: new Date(expiresAt), baseUrl, sameSite: "Strict" });
}

/** Removes the cookie. */
export function noSessionCookie(baseUrl: string): string {
  return cookie(sessionName, "", { expires: new Date(0), baseUrl, sameSite: "Strict" });
}

/** The sign-in that a browser is in the middle of, which it comes back with from the provider's site. */
export function attemptIn(header: Header, baseUrl: string): string | undefined {
  return cookieIn(header, cookieName(attemptName, baseUrl));
}

/** Keeps a sign-in in the browser that has begun it. */
export function attemptCookie(attempt: string, expiresAt: number, baseUrl: string): string {
  const expires = new Date(expiresAt);
  // Lax: the request with which the browser comes back is one of the provider's site.
  return cookie(attemptName, attempt, { expires, baseUrl, sameSite: "Lax", below: "/auth" });
}

/** Removes the cookie. */
export function noAttemptCookie(baseUrl: string): string {
  return attemptCookie("", 0, baseUrl);
}

const sessionName = "drs_session";
const attemptName = "drs_sign_in";

interface CookieOptions {
  readonly expires: Date;
  readonly baseUrl: string;
  readonly sameSite: "Strict" | "Lax";
  /** Only requests for what is below this path of the service carry it; undefined: all do. */
  readonly below?: string;
}

function cookie(name: string, value: string, { expires, baseUrl, sameSite, below }: CookieOptions): string {
  const { protocol, pathname } = new URL(baseUrl);
  const attributes = [
    `${cookieName(name, baseUrl)}=${value}`,
    `Path=${below === undefined ? pathname : `${pathname.replace(/\/$/, "")}${below}`}`,
    `Expires=${expires.toUTCString()}`,
    "HttpOnly",
    `SameSite=${sameSite}`,
    ...(protocol === "https:" ? ["Secure"] : []),
  ];
  return attributes.join("; ");
}

/** Browsers do not keep the cookies of servers on different ports of a host apart. */
function cookieName(name: string, baseUrl: string): string {
  const { port } = new URL(baseUrl);
  return port === "" ? name : `${name}_${port}`;
}

function isOfConsole(header: Header, baseUrl: string): boolean {
  const site = header.get("sec-fetch-site");
  const origin = header.get("origin");
  return (
    (header.get(consoleHeader) ?? "") !== "" &&
    (site === null || site === "same-origin") &&
    (origin === null || origin === new URL(baseUrl).origin)
  );
}

function cookieIn(header: Header, name: string): string | undefined {
  const pairs = (header.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) || undefined;
}
