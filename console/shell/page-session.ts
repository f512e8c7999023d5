import type { PageSession } from "@drs/client";
import { randomId } from "./random-id.ts";

const path = new URL(".", document.baseURI).pathname;
const key = `drs.session ${path}`;
const signInKey = `drs.sign-in ${path}`;
const marker = "#session=";
/** For browsers that keep nothing for pages; it lasts as long as the page. */
const kept = new Map<string, string>();

/**
 * The secret of the session that pages send beside its cookie. Cookies reach the servers on all ports of a host; what is kept here
 * is read by pages of this origin alone.
 */
export const pageSession: PageSession = {
  read: () => read(key),
  keep: (secret) => keep(key, secret),
};

/** Calls the listener when another tab of this browser has signed in or out. Returns what ends that. */
export function onOtherTabsSession(listener: () => void): () => void {
  const onStorage = (event: StorageEvent): void => {
    if (event.key === key || event.key === null) listener();
  };
  addEventListener("storage", onStorage);
  return () => removeEventListener("storage", onStorage);
}

/**
 * Goes with a sign-in with a provider and comes back with the secret of its session. Pages of other origins do not know it, and so
 * cannot hand this browser a session of theirs.
 */
export function signInMark(): string {
  const mark = read(signInKey) || randomId();
  keep(signInKey, mark);
  return mark;
}

/**
 * Keeps the secret that the address came with after a sign-in with a provider, and takes it out of the address. A sign-in that this
 * console has not begun does not count.
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
    // What is kept for the page has to do.
  }
}
