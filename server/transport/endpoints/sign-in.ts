import { invalid } from "../../domain/errors.ts";
import type { ProviderSignIn } from "../../domain/ports/provider-sign-in.ts";
import { SignInRefusal } from "../../domain/sign-in/refusal.ts";
import { attemptCookie, attemptIn, noAttemptCookie, sessionCookie } from "../access/session-cookie.ts";
import { type Handler, reading } from "../dispatch.ts";
import type { Exchange } from "../http/exchange.ts";
import { closeIfEarly } from "../http/linger.ts";
import type { Rates } from "../limits/rates.ts";

/** The path where a sign-in with the provider starts. */
export const loginPath = "/auth/login";
/** The path of the redirect URI, where the browser comes back to. */
export const callbackPath = "/auth/callback";

interface Options {
  readonly providerSignIn?: ProviderSignIn | undefined;
  readonly rates?: Pick<Rates, "countFailure"> | undefined;
  readonly enter: (exchange: Exchange) => void;
}

/**
 * The endpoints for signing in with a provider; none if there is no provider. A failed sign-in ends at `/?error=CODE`
 * (domain/sign-in/refusal.ts).
 */
export function createSignInEndpoints({ providerSignIn, rates, enter }: Options): ReadonlyMap<string, Handler> {
  if (providerSignIn === undefined) return new Map();

  const failed = async (exchange: Exchange, cause: unknown, cookies: readonly string[]): Promise<void> => {
    if (!(cause instanceof SignInRefusal)) throw cause;
    const { record } = exchange;
    record.log.warn({ code: cause.code, reason: cause.reason }, "a sign-in with the provider failed");
    const responseHeader = new Headers();
    if (cause.code !== "provider_unavailable") await rates?.countFailure(record.remoteAddress, { responseHeader });
    redirect(exchange, `${record.baseUrl}${cause.shownAt}?error=${cause.code}`, cookies);
  };

  const login: Handler = async (exchange) => {
    enter(exchange);
    const { baseUrl } = exchange.record;
    const returnTo = checkedReturn(exchange.query.get("return") ?? "/", baseUrl);
    const site = exchange.request.headers["sec-fetch-site"];
    // A page of another site could end the visitor's session by sending the visitor here. Such a visitor gets the
    // console, and can start a sign-in there.
    if (site !== undefined && site !== "same-origin") {
      redirect(exchange, `${baseUrl}${returnTo.split("#", 1)[0]}`, []);
      return;
    }
    try {
      const isFounding = exchange.query.get("found") === "1";
      const begun = await providerSignIn.begin({ redirectUri: `${baseUrl}${callbackPath}`, returnTo, isFounding });
      redirect(exchange, begun.address, [attemptCookie(begun.attempt, begun.expiresAt, baseUrl)]);
    } catch (cause) {
      await failed(exchange, cause, []);
    }
  };

  const callback: Handler = async (exchange) => {
    enter(exchange);
    const { request, query, record } = exchange;
    const { baseUrl } = record;
    const header = new Headers({ cookie: request.headers.cookie ?? "" });
    const over = noAttemptCookie(baseUrl);
    try {
      const { signedIn, returnTo } = await providerSignIn.finish({
        address: `${baseUrl}${callbackPath}?${query.toString()}`,
        attempt: attemptIn(header, baseUrl),
        agent: request.headers["user-agent"] ?? "",
      });
      const begun = signedIn && sessionCookie(signedIn.secret, signedIn.session.expiresAt, baseUrl);
      const target = `${baseUrl}${signedIn === undefined ? returnTo : withSecret(returnTo, signedIn.pageSecret)}`;
      redirect(exchange, target, begun === undefined ? [over] : [over, begun]);
    } catch (cause) {
      await failed(exchange, cause, [over]);
    }
  };

  return new Map([
    [loginPath, reading(loginPath, login)],
    [callbackPath, reading(callbackPath, callback)],
  ]);
}

/**
 * Passes the page secret to the console in the fragment, which browsers send to nobody. The console removes it from the
 * address and restores the original fragment (console/shell/page-session.ts).
 */
function withSecret(path: string, pageSecret: string): string {
  const [page = "", fragment = ""] = path.split(/#(.*)/);
  return `${page}#${new URLSearchParams({ session: pageSecret, at: fragment }).toString()}`;
}

/**
 * Checks the path that the browser goes to after the sign-in: a path of the console with query and fragment. Throws
 * `invalid` for anything that may lead elsewhere.
 */
function checkedReturn(path: string, baseUrl: string): string {
  const base = new URL(baseUrl);
  const target = URL.parse(`${baseUrl}${path}`);
  const below = `${base.pathname.replace(/\/$/, "")}/`;
  const isOurs = target?.origin === base.origin && target.pathname.startsWith(below);
  if (!isOurs || !/^\/(?!\/)[!-[\]-~]*$/.test(path))
    throw invalid("return must be a path of this service, such as /search?q=lanterns");
  return path;
}

function redirect(exchange: Exchange, location: string, cookies: readonly string[]): void {
  const { response } = exchange;
  closeIfEarly(exchange);
  response.writeHead(302, {
    location,
    "cache-control": "no-store",
    "content-length": 0,
    ...(cookies.length > 0 && { "set-cookie": [...cookies] }),
  });
  response.end();
}
