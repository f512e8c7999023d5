import { existsSync } from "node:fs";

/** Where Debian has it. */
export const chromiumPath = "/usr/bin/chromium";

/** Undefined: there is a Chromium. */
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

interface SessionCookie {
  readonly name: string;
  readonly value: string;
  readonly url: string;
  readonly httpOnly: boolean;
  readonly sameSite: "Strict";
}

/** What the console's sign-in puts into a browser. Throws if the service refuses the credential. */
export async function sessionCookie(url: string, credential: string): Promise<SessionCookie> {
  const response = await fetch(`${url}/v1/sessions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-drs-console": "1" },
    body: JSON.stringify({ credential }),
  });
  if (!response.ok) throw new Error(`the sign-in was answered with ${response.status} ${await response.text()}`);
  const [cookie = ""] = response.headers.getSetCookie();
  const [name = "", value = ""] = (cookie.split(";", 1)[0] ?? "").split("=", 2);
  return { name, value, url, httpOnly: true, sameSite: "Strict" };
}
