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

inBrowser("who is no member is told what to do", async () => {
  provider.people.set("eve", { email: "eve@example.org", email_verified: true, name: "Eve" });
  provider.person = "eve";
  const page = await drs.open("/", { credential: null });
  await page.getByRole("link", { name: /^Sign in with/ }).click();
  await page.getByText("Ask an administrator of your organisation for an invitation").waitFor();
  await expectAccessible(page);
});
