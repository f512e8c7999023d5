import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createDrs } from "@drs/client";
import { afterAll, beforeAll, expect } from "vitest";
import { freshMs } from "../../server/domain/sessions/session.ts";
import { askRest, beginSession, ofConsole } from "../service/session.ts";
import { expectAccessible, inBrowser, show, startConsole, type TestConsole } from "./browser.ts";

let drs: TestConsole;
beforeAll(async () => {
  drs = await startConsole();
});
afterAll(() => drs.close());

inBrowser("people sign in with a key, see their sessions, and sign out", async () => {
  const page = await drs.open("/account", { credential: null });
  const field = page.getByLabel("Personal token or API key");
  await show(page, "sign-in");
  await expectAccessible(page);
  await field.fill("wrong");
  await field.press("Enter");
  await page.getByText("This is not a token or key of this service").waitFor();
  await field.fill(drs.server.credentials.apiKey);
  await field.press("Enter");
  await page.getByRole("heading", { name: "Signed-in browsers" }).waitFor();
  await page.getByText("This browser").waitFor();
  await expectAccessible(page);
  await show(page, "account");
  // No script has the secret of the cookie, and what is kept is nothing without it.
  const kept = await page.evaluate<Record<string, string>>("({ ...localStorage, cookie: document.cookie })");
  expect(kept).toEqual({ cookie: "", "drs.session /": expect.stringMatching(/^[\w-]{43}$/) });

  await page.getByRole("button", { name: "Account and settings" }).click();
  await show(page, "menu");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Personal token or API key").waitFor();
  await page.reload();
  await page.getByLabel("Personal token or API key").waitFor();
});

inBrowser("clearing what the site keeps signs out, also where the cookie stays", async () => {
  const page = await drs.open("/account", { credential: null });
  await page.getByLabel("Personal token or API key").fill(drs.server.credentials.apiKey);
  await page.keyboard.press("Enter");
  await page.getByText("This browser").waitFor();
  await page.reload();
  await page.getByText("This browser").waitFor();
  await page.evaluate("localStorage.clear()");
  await page.reload();
  await page.getByLabel("Personal token or API key").waitFor();
  expect((await page.context().cookies()).map(({ name }) => name)).toEqual([expect.stringMatching(/^drs_session_/)]);
});

inBrowser("a code in the address signs in once who wants it, and is gone from the address", async () => {
  const { code } = await drs.admin.sessions.createCode();
  const page = await drs.open(`/account#code=${code}`, { credential: null });
  await page.getByRole("heading", { name: /^Sign in as .* of default\?$/ }).waitFor();
  expect(page.url()).toBe(`${drs.server.url}/account`);
  await expectAccessible(page);
  await show(page, "sign-in-code");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("This browser").waitFor();
  expect(page.url()).toBe(`${drs.server.url}/account`);
  const other = await drs.open(`/#code=${code}`, { credential: null });
  await other.getByText("has expired or was used before").waitFor();
});

inBrowser("a code of somebody else's takes over no browser that does not want it", async () => {
  const { apiKey } = await drs.admin.organisations.create({ name: "Attackers" });
  const attacker = createDrs({ server: drs.server.url, apiKey });
  for (const credential of [drs.server.credentials.apiKey, null]) {
    const { code } = await attacker.sessions.createCode();
    const page = await drs.open(`/upload#code=${code}`, { credential });
    await page.getByRole("heading", { name: /^Sign in as .* of Attackers\?$/ }).waitFor();
    if (credential !== null) await page.getByText(/^You are signed in as .* of default/).waitFor();
    expect(await attacker.sessions.list()).toEqual([]);
    await page.getByRole("button", { name: "Cancel" }).click();
    if (credential === null) await page.getByLabel("Personal token or API key").waitFor();
    else await page.getByRole("heading", { name: "Upload" }).first().waitFor();
    expect(await attacker.sessions.list()).toEqual([]);
    // Nobody has used it up.
    const again = await askRest(drs.server.url, "POST", "/v1/sessions", ofConsole, { credential: code });
    expect(again.status).toBe(200);
    for (const { id } of await attacker.sessions.list()) await attacker.sessions.end(id);
  }
});

inBrowser("an address with a session in it signs nobody in, not even with its cookie, and nobody out", async () => {
  const { apiKey } = await drs.admin.organisations.create({ name: "Neighbours" });
  const session = await beginSession(drs.server.url, apiKey);
  const led = `${drs.server.url}/upload#session=${session["x-drs-console"]}&at=`;
  const mine = await drs.open("/account");
  await mine.getByText("This browser").waitFor();
  await mine.goto(`${drs.server.url}/healthz`);
  await mine.goto(led);
  await mine.getByRole("link", { name: "Documents", exact: true }).waitFor();
  expect(mine.url()).not.toContain("session=");

  const victim = await drs.open("/account", { credential: null });
  await victim.getByLabel("Personal token or API key").waitFor();
  // A server on another port of the host sets what cookies it likes.
  const [name = "", value = ""] = (session["cookie"] ?? "").split("=", 2);
  await victim.context().addCookies([{ name, value, url: drs.server.url, httpOnly: true, sameSite: "Strict" }]);
  await victim.goto(`${drs.server.url}/healthz`);
  await victim.goto(led);
  await victim.getByText("took too long, or was started in another window").waitFor();
  expect(victim.url()).toBe(`${drs.server.url}/?error=attempt_expired`);
});

inBrowser("who signs out in one tab is signed out in the others, and nothing of theirs stays", async () => {
  const page = await drs.open("/account");
  const other = await page.context().newPage();
  await other.goto(`${drs.server.url}/account`);
  await other.getByText("This browser").waitFor();
  await page.getByRole("button", { name: "Account and settings" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await other.getByLabel("Personal token or API key").waitFor();
  expect(await other.getByText("This browser").count()).toBe(0);
});

inBrowser("who signed in a while ago signs in again before a key is made", async () => {
  const page = await drs.open("/admin/keys");
  await page.getByRole("button", { name: "New key" }).click();
  const database = new DatabaseSync(join(drs.server.dataDir, "metadata.sqlite"), { timeout: 5_000 });
  database.exec(`update "sessions" set "createdAt" = "createdAt" - ${freshMs}`);
  database.close();
  const form = page.getByRole("dialog", { name: "A new API key" });
  await form.getByLabel("Name").fill("deploy");
  await form.getByRole("button", { name: "Create" }).click();
  const again = page.getByRole("dialog", { name: "Sign in again" });
  await again.getByLabel("Personal token or API key").fill(drs.server.credentials.apiKey);
  await expectAccessible(page);
  await show(page, "sign-in-again");
  await again.getByRole("button", { name: "Sign in" }).click();
  await again.waitFor({ state: "detached" });
  await form.getByRole("button", { name: "Create" }).click();
  const made = page.getByRole("dialog", { name: "The key was created" });
  expect(await made.getByLabel("API key").inputValue()).toMatch(/^drs_/);
});

inBrowser("a session that another browser ends leads back to the sign-in", async () => {
  const [page, other] = [await drs.open("/account"), await drs.open("/account")];
  await page.getByText("This browser").waitFor();
  await other.getByRole("button", { name: "End", exact: true }).first().waitFor();
  for (const { id, isCurrent } of await drs.admin.sessions.list()) if (!isCurrent) await drs.admin.sessions.end(id);
  await other.getByRole("button", { name: "End", exact: true }).first().click();
  await other
    .getByRole("dialog", { name: /^End the session in / })
    .getByRole("button", { name: "End" })
    .click();
  await other.getByLabel("Personal token or API key").waitFor();
});

inBrowser("the language and the theme are chosen and kept", async () => {
  const page = await drs.open("/design");
  await page.getByRole("heading", { name: "Design system" }).waitFor();
  await page.getByRole("button", { name: "Account and settings" }).first().click();
  await page.getByRole("button", { name: "Dark" }).click();
  await page.getByRole("button", { name: "Deutsch" }).click();
  await page.getByRole("heading", { name: "Gestaltung" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Gestaltung" }).waitFor();
  expect(await page.evaluate("document.documentElement.dataset.theme + document.documentElement.lang")).toBe("darkde");
  await show(page, "design-dark");
});

inBrowser("every part of the design is free of barriers, and a dialog takes and gives back the focus", async () => {
  const page = await drs.open("/design");
  const opener = page.getByRole("button", { name: "Open a dialog" });
  await expectAccessible(page);
  await show(page, "design");
  await opener.press("Enter");
  await page.getByRole("dialog", { name: "Overlays" }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Open a dialog");
});
