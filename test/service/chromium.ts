import { existsSync } from "node:fs";
import type { BrowserContext } from "playwright-core";
import { beginSession } from "./session.ts";

/** Where Debian has it. */
export const chromiumPath = "/usr/bin/chromium";

/** Undefined if there is a Chromium. */
export const missingChromium = existsSync(chromiumPath) ? undefined : `there is no ${chromiumPath}`;

/** It draws by software, and asks nobody but the pages that it is told to open. */
export const chromiumFlags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Puts into a browser what the console's sign-in puts there. Throws if the service refuses the credential. */
export async function signInto(context: BrowserContext, url: string, credential: string): Promise<void> {
  const session = await beginSession(url, credential);
  const [name = "", value = ""] = (session["cookie"] ?? "").split("=", 2);
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: "Strict" }]);
  const secret = JSON.stringify(session["x-drs-console"]);
  const key = JSON.stringify(`drs.session ${new URL(url).pathname.replace(/\/?$/, "/")}`);
  // Pages of other origins have a store of their own; what the console has kept since then stays.
  const content = `if (localStorage.getItem(${key}) === null) localStorage.setItem(${key}, ${secret});`;
  await context.addInitScript({ content });
}
