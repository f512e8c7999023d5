import type { PageSession } from "@drs/client";

const key = `drs.session ${new URL(".", document.baseURI).pathname}`;
const marker = "#session=";
/** For browsers that keep nothing for pages. */
let kept = "";

/**
 * The secret of the session that pages send beside its cookie. Cookies reach the servers on all ports of a host; what is kept here
 * is read by pages of this origin alone.
 */
export const pageSession: PageSession = {
  read() {
    try {
      return localStorage.getItem(key) ?? kept;
    } catch {
      return kept;
    }
  },
  keep(secret) {
    kept = secret;
    try {
      localStorage.setItem(key, secret);
    } catch {
      // It lasts as long as the page.
    }
  },
};

/** Keeps the secret that the address came with after a sign-in with a provider, and puts there what its fragment was. */
export function takePageSecret(): void {
  const { hash, pathname, search } = location;
  if (!hash.startsWith(marker)) return;
  const said = new URLSearchParams(hash.slice(1));
  const fragment = said.get("at") ?? "";
  history.replaceState(null, "", `${pathname}${search}${fragment === "" ? "" : `#${fragment}`}`);
  pageSession.keep(said.get("session") ?? "");
}
