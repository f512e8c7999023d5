import type { PageSession } from "@drs/client";
import { randomId } from "./browser.ts";

const path = new URL(".", document.baseURI).pathname;
const key = `drs.session ${path}`;
const signInKey = `drs.sign-in ${path}`;
const marker = "#session=";
/** A fallback for browsers that store nothing for pages; it lasts as long as the page. */
const kept = new Map<string, string>();

/**
 * The secret of the session, which pages send besides its cookie. Cookies reach the servers on all ports of a host; only pages of
 * this origin can read this secret.
 */
export const pageSession: PageSession = {
  read: () => read(key),
  keep: (secret) => keep(key, secret),
};

/** Calls the listener when another tab of this browser has signed in or out. Returns a function that stops it. */
export function onOtherTabsSession(listener: () => void): () => void {
  const onStorage = (event: StorageEvent): void => {
    if (event.key === key || event.key === null) listener();
  };
  addEventListener("storage", onStorage);
  return () => removeEventListener("storage", onStorage);
}

/**
 * Returns the mark that accompanies a sign-in with a provider and comes back with the secret of its session. Pages of other origins
 * do not know it, so they cannot sign this browser in to a session of their own.
 */
export function signInMark(): string {
  const mark = read(signInKey) || randomId();
  keep(signInKey, mark);
  return mark;
}

/**
 * Stores the secret that the address has after a sign-in with a provider, and removes it from the address. Ignores a sign-in that
 * this console has not started.
 */
export function takePageSecret(): void {
  const { hash, pathname, search } = location;
  if (!hash.startsWith(marker)) return;
  const said = new URLSearchParams(hash.slice(1));
  const isOurs = read(signInKey) !== "" && said.get("at") === read(signInKey);
  history.replaceState(null, "", isOurs ? `${pathname}${search}` : `${path}?error=attempt_expired`);
  if (isOurs) pageSession.keep(said.get("session") ?? "");
}

function read(name: string): string {
  try {
    return localStorage.getItem(name) ?? kept.get(name) ?? "";
  } catch {
    return kept.get(name) ?? "";
  }
}

function keep(name: string, value: string): void {
  kept.set(name, value);
  try {
    localStorage.setItem(name, value);
  } catch {
    // The browser stores nothing for this page, so only the fallback has the value.
  }
}
