import { createDrs } from "@drs/client";
import { afterAll, beforeAll, expect } from "vitest";
import { startIdentityProvider, type TestProvider } from "../service/identity-provider.ts";
import { expectAccessible, inBrowser, show, startConsole, type TestConsole } from "./browser.ts";

let provider: TestProvider;
let drs: TestConsole;
beforeAll(async () => {
  provider = await startIdentityProvider();
  const { issuer, clientId, clientSecret } = provider;
  drs = await startConsole({ oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret });
  provider.serve(`${drs.url}/auth/callback`);
});
afterAll(async () => {
  await drs.close();
  await provider.close();
});

inBrowser("people sign in with the provider, and are where they wanted to be", async () => {
  await drs.admin.members.invite({ name: "ada@example.org", role: "viewer", email: "ada@example.org" });
  provider.people.set("ada", { email: "ada@example.org", email_verified: true, name: "Ada" });
  provider.person = "ada";
  const page = await drs.open("/account", { credential: null });
  const link = page.getByRole("link", { name: /^Sign in with/ });
  await link.waitFor();
  await expectAccessible(page);
  await show(page, "sign-in-provider");
  await link.click();
  await page.getByText("This browser").waitFor();
  await page.getByText("Viewer").waitFor();
  expect(page.url()).toBe(`${drs.url}/account`);
});

inBrowser("a member links an account at the provider, signs in with it, and unlinks it", async () => {
  const { token } = await drs.admin.members.invite({ name: "Lin", role: "member" });
  const joined = await createDrs({ server: drs.server.url }).acceptInvitation({ token });
  provider.people.set("lin", { email: "lin@elsewhere.example", email_verified: false, name: "Lin" });
  provider.person = "lin";
  const page = await drs.open("/account", { credential: joined.token });
  await page.getByRole("button", { name: /^Link an account at/ }).click();
  await page.getByRole("button", { name: "Unlink" }).waitFor();
  expect(page.url()).toBe(`${drs.url}/account`);
  await page.getByText("This browser").waitFor();
  await expectAccessible(page);
  await show(page, "account-linked");

  const again = await drs.open("/account", { credential: null });
  await again.getByRole("link", { name: /^Sign in with/ }).click();
  await again.getByText(joined.member.id).waitFor();

  const second = await drs.admin.members.invite({ name: "Mo", role: "member" });
  const other = await createDrs({ server: drs.server.url }).acceptInvitation({ token: second.token });
  const stranger = await drs.open("/account", { credential: other.token });
  await stranger.getByRole("button", { name: /^Link an account at/ }).click();
  await stranger.getByText("This account at the provider belongs to another member.").waitFor();
  expect(await stranger.getByRole("button", { name: "Unlink" }).count()).toBe(0);

  await page.getByRole("button", { name: "Unlink" }).click();
  const asked = page.getByRole("dialog", { name: /^Unlink from / });
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await asked.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Unlink" }).click();
  await asked.getByRole("button", { name: "Unlink" }).click();
  await page.getByText("You can no longer sign in with the provider.").waitFor();
  const out = await drs.open("/", { credential: null });
  await out.getByRole("link", { name: /^Sign in with/ }).click();
  await out.getByText("The provider does not say that your e-mail address is verified.").waitFor();
  const { data } = await drs.admin.audit.page({ action: "identity." });
  expect(data.map(({ action, target }) => [action, target])).toEqual([
    ["identity.unlink", joined.member.id],
    ["identity.link", joined.member.id],
  ]);
});

inBrowser("who is no member is told what to do", async () => {
  provider.people.set("eve", { email: "eve@example.org", email_verified: true, name: "Eve" });
  provider.person = "eve";
  const page = await drs.open("/", { credential: null });
  await page.getByRole("link", { name: /^Sign in with/ }).click();
  await page.getByText("Ask an administrator of your organisation for an invitation").waitFor();
  await expectAccessible(page);
});
