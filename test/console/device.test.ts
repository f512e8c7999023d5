import { createDrs } from "@drs/client";
import { afterAll, beforeAll, expect } from "vitest";
import { expectAccessible, inBrowser, startConsole, type TestConsole } from "./browser.ts";

let drs: TestConsole;
beforeAll(async () => {
  drs = await startConsole();
});
afterAll(() => drs.close());

const nobody = () => createDrs({ server: drs.server.url });

async function memberToken(): Promise<string> {
  const { token } = await drs.admin.members.invite({ name: "Ada", role: "member" });
  return (await nobody().acceptInvitation({ token })).token;
}

inBrowser("a member lets a device in after comparing its code", async () => {
  const { deviceCode, userCode } = await nobody().devices.start("drs on workbench");
  const page = await drs.open(`/device?code=${userCode}`, { credential: await memberToken() });
  await page.getByRole("heading", { name: "drs on workbench wants to sign in as you" }).waitFor();
  expect(await page.locator(".device-code").textContent()).toBe(userCode);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByText("The device is signed in").waitFor();
  expect(await nobody().devices.poll(deviceCode)).toMatchObject({ member: { name: "Ada" } });
});

inBrowser("the token of a device is listed in the account and ended there, alone", async () => {
  const { deviceCode, userCode } = await nobody().devices.start("drs on a lost laptop");
  const credential = await memberToken();
  const member = createDrs({ server: drs.server.url, apiKey: credential });
  await member.devices.approve(userCode);
  const { token = "" } = (await nobody().devices.poll(deviceCode)) ?? {};
  const device = createDrs({ server: drs.server.url, apiKey: token });
  expect((await device.me()).deviceName).toBe("drs on a lost laptop");
  const page = await drs.open("/account", { credential });
  const row = page.getByRole("row", { name: "drs on a lost laptop" });
  await page.getByRole("row", { name: "You, when you joined" }).waitFor();
  await expectAccessible(page);
  await row.getByRole("button", { name: "End" }).click();
  const asked = page.getByRole("dialog", { name: "End the token of drs on a lost laptop?" });
  await expectAccessible(page);
  await asked.getByRole("button", { name: "Cancel" }).press("Enter");
  await asked.waitFor({ state: "detached" });
  expect((await device.me()).deviceName).toBe("drs on a lost laptop");
  await row.getByRole("button", { name: "End" }).press("Enter");
  await asked.getByRole("button", { name: "End" }).press("Enter");
  await row.waitFor({ state: "detached" });
  await expect(device.me()).rejects.toMatchObject({ code: "unauthenticated" });
  expect((await member.tokens.list()).map(({ deviceName }) => deviceName)).toEqual([null]);
});

inBrowser("a code is typed as it comes; one that no device has is said so", async () => {
  const { deviceCode, userCode } = await nobody().devices.start("a stranger");
  const page = await drs.open("/device", { credential: await memberToken() });
  await page.getByLabel("Code").fill("bcdf-ghjk");
  await page.keyboard.press("Enter");
  await page.getByText("No device is waiting with this code").waitFor();
  await page.getByLabel("Code").fill(userCode.toLowerCase().replace("-", " "));
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Deny" }).click();
  await page.getByText("The device was denied").waitFor();
  await expect(nobody().devices.poll(deviceCode)).rejects.toThrow(/denied in the browser/);
});

inBrowser("an API key cannot approve devices", async () => {
  const page = await drs.open("/device");
  await page.getByRole("heading", { name: "An API key cannot approve devices" }).waitFor();
});
