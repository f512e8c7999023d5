import { forbidden } from "../../domain/errors.ts";
import type { SessionProof } from "../../domain/sessions/session.ts";

/**
 * Header with the page secret of the session, or any text before there is a session. Pages of other sites cannot send
 * it: their browser asks for permission first, and the server refuses.
 */
const consoleHeader = "x-drs-console";

type Header = Pick<Headers, "get">;

/**
 * The session of a request of the console. The cookie alone is not enough, because servers on all ports of the host
 * receive it. It counts only with the page secret in the header, which pages of this origin keep, and only if the
 * browser does not say that another site's page has sent it.
 */
export function sessionIn(header: Header, baseUrl: string): SessionProof | undefined {
  const secret = isOfConsole(header, baseUrl) ? cookieIn(header, cookieName(sessionName, baseUrl)) : undefined;
  return secret === undefined ? undefined : { secret, pageSecret: header.get(consoleHeader) ?? "" };
}

/** Throws `forbidden` unless the request can only come from the console. */
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

/** The sign-in attempt that a browser brings back from the provider's site. */
export function attemptIn(header: Header, baseUrl: string): string | undefined {
  return cookieIn(header, cookieName(attemptName, baseUrl));
}

/** The cookie that keeps a sign-in attempt in the browser that began it. */
export function attemptCookie(attempt: string, expiresAt: number, baseUrl: string): string {
  const expires = new Date(expiresAt);
  // Lax, because the provider's site starts the request with which the browser comes back.
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
  /** Only requests below this path of the service carry the cookie; undefined for all requests. */
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

/** Browsers share cookies between servers on different ports of a host, so the name contains the port. */
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
