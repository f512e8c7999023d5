import { createDrs, type MemberRole } from "@drs/client";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { expectAccessible, inBrowser, show, startConsole, type TestConsole } from "./browser.ts";

let drs: TestConsole;
beforeAll(async () => {
  drs = await startConsole();
});
afterAll(() => drs.close());

const everything = [
  "Usage and plan",
  "Workspaces",
  "Members",
  "API keys",
  "Webhooks",
  "Model packs",
  "Audit log",
  "Service",
];

/** The personal token of a new member. */
async function join(name: string, role: MemberRole): Promise<string> {
  const { token } = await drs.admin.members.invite({ name, role });
  return (await createDrs({ server: drs.server.url }).acceptInvitation({ token })).token;
}

const sectionsOf = async (page: Page): Promise<string[]> => {
  const sections = page.getByRole("navigation", { name: "Sections of the administration" });
  await sections.getByRole("link").first().waitFor();
  return sections.getByRole("link").allTextContents();
};

const roles: readonly {
  readonly who: string;
  readonly credential: () => Promise<string>;
  readonly closed: readonly string[];
}[] = [
  { who: "the first key", credential: async () => drs.server.credentials.apiKey, closed: [] },
  { who: "an owner", credential: async () => join("Olga", "owner"), closed: [] },
  { who: "an administrator", credential: async () => join("Ada", "admin"), closed: ["Audit log"] },
  { who: "a member", credential: async () => join("Max", "member"), closed: everything.slice(1) },
  {
    who: "another organisation",
    credential: async () => (await drs.admin.organisations.create({ name: "Strangers" })).apiKey,
    closed: ["Service"],
  },
];

for (const { who, credential, closed } of roles) {
  inBrowser(`${who} sees the sections of its own, and is told why others are closed`, async () => {
    const page = await drs.open("/admin", { credential: await credential() });
    expect(await sectionsOf(page)).toEqual(everything.filter((name) => !closed.includes(name)));
    for (const [name, path] of [
      ["Service", "service"],
      ["Audit log", "audit"],
      ["API keys", "keys"],
    ] as const) {
      if (!closed.includes(name)) continue;
      await page.goto(`${drs.server.url}/admin/${path}`);
      await page.getByRole("heading", { name: "Your role does not allow this" }).waitFor();
    }
    await expectAccessible(page);
  });
}

inBrowser("an administrator can neither make owners nor change them", async () => {
  await join("Oskar", "owner");
  await join("Mia", "member");
  const page = await drs.open("/admin/members", { credential: await join("Anton", "admin") });
  const mia = page.getByLabel("Role of Mia");
  await mia.waitFor();
  expect(await mia.getByRole("option").allTextContents()).toEqual(["Administrator", "Member", "Viewer"]);
  expect(await page.getByRole("row", { name: "Oskar" }).getByRole("button").count()).toBe(0);
  await mia.selectOption("Viewer");
  await page.getByText("Mia has the new role from now on.").waitFor();
  const roles = (await drs.admin.members.list()).filter(({ name }) => name === "Mia").map(({ role }) => role);
  expect(roles).toEqual(["viewer"]);
});

inBrowser("a key is shown once and works, and is refused once it is revoked", async () => {
  const page = await drs.open("/admin/keys");
  await page.getByRole("button", { name: "New key" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "A new API key" });
  await dialog.getByLabel("Name").fill("crawler");
  await dialog.getByLabel("Bound to documents with this metadata").fill("team=");
  await dialog.getByLabel("Expires after (days)").fill("30");
  await dialog.getByLabel("Name").press("Enter");
  await dialog.getByText("Write a field, an operator").waitFor();
  await show(page, "admin-new-key");
  await expectAccessible(page);
  await dialog.getByLabel("Bound to documents with this metadata").fill("team=sales");
  await dialog.getByLabel("Name").press("Enter");
  const made = page.getByRole("dialog", { name: "The key was created" });
  const key = await made.getByLabel("API key").inputValue();
  await show(page, "admin-key-made");
  await expectAccessible(page);
  const crawler = createDrs({ server: drs.server.url, apiKey: key });
  expect((await crawler.me()).scopes.toSorted()).toEqual(["read", "search", "write"]);
  await made.getByRole("button", { name: "Done" }).click();
  await made.waitFor({ state: "detached" });
  expect(await page.content()).not.toContain(key);

  const row = page.getByRole("row", { name: "crawler" });
  await row.getByText("team=sales", { exact: true }).waitFor();
  await row.getByRole("button", { name: "Revoke" }).click();
  const revoke = page.getByRole("dialog", { name: "Revoke crawler?" });
  await revoke.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("The key is revoked.").waitFor();
  await expect(crawler.me()).rejects.toMatchObject({ code: "unauthenticated" });
  await row.waitFor({ state: "detached" });
  await page.getByLabel("Show revoked and expired keys").check();
  await row.getByText("revoked", { exact: true }).waitFor();
});

inBrowser("on a phone, what can be done in a table is in sight without scrolling sideways", async () => {
  await drs.admin.keys.create({ name: "of a phone", filter: { customer: { $in: ["north", "south", "east"] } } });
  const page = await drs.open("/admin/keys", { width: 390, height: 844 });
  const row = page.getByRole("row", { name: "of a phone" });
  for (const name of ["Rotate", "Revoke"]) {
    const box = await row.getByRole("button", { name }).boundingBox();
    expect(box?.x).toBeGreaterThan(0);
    expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThanOrEqual(390);
  }
  await show(page, "admin-keys-390");
  await expectAccessible(page);
});

inBrowser("an invitation is shown once, and the session of a removed member ends at its next request", async () => {
  const page = await drs.open("/admin/members");
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByLabel("Name or e-mail address").fill("Ben");
  await page.getByLabel("Role", { exact: true }).selectOption("admin");
  await show(page, "admin-invite");
  await expectAccessible(page);
  await page.getByRole("dialog").getByRole("button", { name: "Invite" }).click();
  const made = page.getByRole("dialog", { name: "The invitation was created" });
  const token = await made.getByLabel("Invitation", { exact: true }).inputValue();
  expect(await made.getByLabel("Link to join").inputValue()).toBe(`${drs.url}/join#${token}`);
  await made.getByRole("button", { name: "Done" }).click();
  await page.getByRole("heading", { name: "Open invitations" }).waitFor();
  await show(page, "admin-members");
  await expectAccessible(page);

  const joined = await createDrs({ server: drs.server.url }).acceptInvitation({ token });
  const of = await drs.open("/admin/keys", { credential: joined.token });
  await of.getByRole("button", { name: "New key" }).waitFor();
  await page.reload();
  await page.getByRole("row", { name: "Ben" }).getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog", { name: "Remove Ben?" }).getByRole("button", { name: "Remove" }).click();
  await page.getByText("Ben is no longer a member.").waitFor();
  await of.getByRole("link", { name: "Members" }).click();
  await of.getByLabel("Personal token or API key").waitFor();
});

inBrowser("a workspace is made and gone to, and forgotten where it is out of reach", async () => {
  const credential = await join("Wanda", "owner");
  const page = await drs.open("/admin/workspaces", { credential });
  await page.getByRole("button", { name: "New workspace" }).click();
  await page.getByLabel("Name").fill("archive");
  await page.getByLabel("Name").press("Enter");
  const row = page.getByRole("row", { name: "archive" });
  await row.getByRole("button", { name: "Switch" }).click();
  await row.getByText("This one").waitFor();
  await expectAccessible(page);
  await show(page, "admin-workspaces");

  await page.getByRole("button", { name: "Account and settings" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Personal token or API key").fill(drs.server.credentials.apiKey);
  await page.getByLabel("Personal token or API key").press("Enter");
  await page.getByRole("link", { name: "Administration" }).click();
  await page.getByRole("heading", { name: "Usage and plan" }).waitFor();
});

inBrowser(
  "the audit log is filtered by kind, by who did it and by time, and the filter is in the address",
  async () => {
    const page = await drs.open("/admin/audit");
    await page.getByLabel("Kind").selectOption("API keys");
    await page.getByRole("row", { name: "key.create" }).first().waitFor();
    expect(await page.getByRole("row", { name: "member." }).count()).toBe(0);
    await page.getByLabel("Who").selectOption("the service");
    expect(new URL(page.url()).search).toBe("?kind=key&actor=service");
    await page.reload();
    expect(await page.getByLabel("Kind").inputValue()).toBe("key");
    await page.getByLabel("Who").selectOption("anyone");
    await page.getByRole("row", { name: "key.create" }).first().waitFor();
    await show(page, "admin-audit");
    await expectAccessible(page);
    await page.getByLabel("Until").fill("2020-01-01");
    await page.getByRole("heading", { name: "No results" }).waitFor();
    await expectAccessible(page);
  },
);

inBrowser("the account names who is signed in and where, also for those who manage nothing", async () => {
  const page = await drs.open("/account", { credential: await join("Nora Fields", "viewer") });
  const { organisationName, workspaceName } = await drs.admin.me();
  for (const name of ["Nora Fields", organisationName, workspaceName]) {
    await page.locator(".facts").getByText(name).first().waitFor();
  }
  await show(page, "account");
  await expectAccessible(page);
});

inBrowser("usage is told in numbers, in a plot and in the table beside it", async () => {
  const pdf = makePdf({ pages: [{ text: "one" }, { text: "two" }] });
  const { id } = await drs.admin.datasets.upload(pdf, { fileName: "two.pdf" });
  await drs.admin.jobs.wait(id);
  const page = await drs.open("/admin");
  await page.getByRole("heading", { name: "Usage and plan" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/admin/usage");
  for (const summary of await page.getByText("As a table").all()) await summary.click();
  // A service of this month has no months to compare.
  expect(await page.getByRole("img", { name: "Requests by month" }).count()).toBe(0);
  await page.getByText(/^Usage is recorded from .* on; earlier values are unknown\.$/).waitFor();
  for (const name of ["Stored by day", "Documents by day", "Pages by day"]) {
    await page.getByRole("img", { name }).waitFor();
    const rows = page.getByRole("region", { name }).getByRole("row");
    expect([await rows.count(), await rows.filter({ hasText: "unknown" }).count()]).toEqual([91, 89]);
  }
  await show(page, "admin-usage");
  await expectAccessible(page);
});

inBrowser("those who run the service see its queue, its disk and its readiness", async () => {
  const page = await drs.open("/admin/service");
  await page.getByRole("progressbar", { name: "Disk" }).waitFor();
  await page.getByRole("region", { name: "Readiness" }).getByRole("row", { name: "metadata ok" }).waitFor();
  await page.getByRole("heading", { name: "The queue is empty" }).waitFor();
  await show(page, "admin-service");
  await expectAccessible(page);
});

inBrowser("the pack in use is told apart", async () => {
  const page = await drs.open("/admin/models");
  await page.getByRole("row", { name: "builtin@" }).getByText("in use", { exact: true }).waitFor();
  await show(page, "admin-models");
  await expectAccessible(page);
});

inBrowser("the administration speaks German", async () => {
  const page = await drs.open("/admin/keys", { locale: "de-DE" });
  await page.getByRole("heading", { name: "API-Schlüssel" }).waitFor();
  await page.getByRole("heading", { name: "Verwaltung" }).waitFor();
  await expectAccessible(page);
  await page.goto(`${drs.url}/documents/ds_none`);
  await page.getByText("Dieses Dokument gibt es hier nicht oder nicht mehr.").waitFor();
  await page.getByText(/^\(there is no dataset/).waitFor();
});
