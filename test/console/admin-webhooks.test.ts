import { afterAll, beforeAll, expect } from "vitest";
import { type Receiver, startReceiver } from "../fixtures/webhook-receiver.ts";
import { expectAccessible, inBrowser, show, startConsole, type TestConsole } from "./browser.ts";

let drs: TestConsole;
let receiver: Receiver;
beforeAll(async () => {
  drs = await startConsole({ urlAllow: "127.0.0.1" });
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await drs.close();
});

inBrowser("a webhook is added by keyboard", async () => {
  const page = await drs.open("/admin/webhooks");
  await page.getByRole("heading", { name: "There are no webhooks yet" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Add a webhook" }).focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Add a webhook" });
  await dialog.getByLabel("Address").focus();
  await page.keyboard.type(receiver.url);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await show(page, "admin-new-webhook");
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  const added = page.getByRole("dialog", { name: "The webhook is added" });
  expect(await added.getByLabel("Secret").inputValue()).toMatch(/^whsec_/);
  await page.keyboard.press("Escape");
  const [webhook] = await drs.admin.webhooks.list();
  expect(webhook?.events).toEqual(["job.failed", "dataset.deleted", "dataset.expiring"]);
  await page.getByRole("link", { name: receiver.url }).waitFor();
  await drs.admin.webhooks.delete(webhook?.id ?? "");
});

inBrowser("a webhook is tried, told again, disabled and deleted", async () => {
  await drs.admin.webhooks.create({ url: receiver.url });
  const page = await drs.open("/admin/webhooks");
  await page.getByRole("link", { name: receiver.url }).click();
  await page.getByRole("heading", { name: "Nothing has been sent yet" }).waitFor();
  await page.getByRole("button", { name: "Send a test" }).click();
  const delivery = page.getByRole("row", { name: "webhook.test" });
  await delivery.getByText("delivered", { exact: true }).waitFor();
  await delivery.getByText("Payload").click();
  await show(page, "admin-webhook");
  await expectAccessible(page);
  const before = receiver.messages.length;
  await delivery.getByRole("button", { name: "Send again" }).click();
  await expect.poll(() => receiver.messages.length, { timeout: 10_000 }).toBe(before + 1);

  await page.getByRole("button", { name: "Disable" }).click();
  await page.getByText("disabled", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Enable" }).click();
  await page.getByText("enabled", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "There are no webhooks yet" }).waitFor();
  expect(await drs.admin.webhooks.list()).toEqual([]);
});

inBrowser("a refused address is explained in the dialog, and what was written stays", async () => {
  const page = await drs.open("/admin/webhooks");
  await page.getByRole("button", { name: "Add a webhook" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Address").fill("http://10.0.0.1/hook");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.getByRole("alert").waitFor();
  expect(await dialog.getByLabel("Address").inputValue()).toBe("http://10.0.0.1/hook");
  await expectAccessible(page);
});
