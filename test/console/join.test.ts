import { createDrs } from "@drs/client";
import { afterAll, beforeAll, expect } from "vitest";
import { expectAccessible, inBrowser, show, startConsole, type TestConsole } from "./browser.ts";

let drs: TestConsole;
beforeAll(async () => {
  drs = await startConsole();
});
afterAll(() => drs.close());

const invite = async (name: string): Promise<string> => {
  const { joinUrl } = await drs.admin.members.invite({ name, role: "member" });
  if (joinUrl === null) throw new Error("the service gave no link");
  return joinUrl.slice(drs.url.length);
};

inBrowser("a link lets in once, under a name of one's own, and leaves no token in the address", async () => {
  const path = await invite("ann@example.org");
  const page = await drs.open(path, { credential: null });
  const posted: string[] = [];
  page.on("request", (request) => posted.push(request.url()));
  await page.getByRole("heading", { name: /^Join / }).waitFor();
  await page.getByText("You are invited as: Member").waitFor();
  expect(page.url()).toBe(`${drs.url}/join`);
  expect(await page.getByLabel("Your name").inputValue()).toBe("ann@example.org");
  await show(page, "join");
  await expectAccessible(page);
  await page.getByLabel("Your name").fill("Ann");
  await page.getByRole("button", { name: "Join" }).click();
  const token = await page.getByLabel("Your personal token").inputValue();
  expect(await createDrs({ server: drs.server.url, apiKey: token }).me()).toMatchObject({ role: "member" });
  await show(page, "joined");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Open the console" }).click();
  await page.getByRole("link", { name: "Documents", exact: true }).waitFor();
  expect(await page.content()).not.toContain(token);
  expect((await drs.admin.members.list()).map(({ name }) => name)).toContain("Ann");
  await page.goBack();
  expect(page.url()).not.toContain("drsi_");
  expect(posted.filter((url) => url.includes("drsi_") || url.includes("drsp_"))).toEqual([]);

  const again = await drs.open(path, { credential: null });
  await again.getByRole("heading", { name: "This invitation does not work" }).waitFor();
  await again.getByText(/Ask whoever invited you for a new one/).waitFor();
  await expectAccessible(again);
  await again.getByRole("link", { name: "Go to sign-in" }).click();
  await again.getByLabel("Personal token or API key").waitFor();
});

inBrowser("who is signed in is told that joining replaces it, and a link without its end says so", async () => {
  const page = await drs.open(await invite("Bo"));
  await page.getByText(/^Somebody is already signed in with this browser/).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "No invitation found" }).waitFor();
  await expectAccessible(page);
});
