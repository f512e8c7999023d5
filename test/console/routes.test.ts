import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDrs } from "@drs/client";
import { beginSession } from "../service/session.ts";
import { expectAccessible, inBrowser, startConsole, type TestConsole } from "./browser.ts";
import { uploadDocuments } from "./documents.ts";
import { misfitsAt, phone, zoomed } from "./routes/fit.ts";
import { type Named, placesOf, routesInSources, themeRules } from "./routes/table.ts";

/** Long, where other tests have the machine. */
const timeoutMs = 600_000;

let drs: TestConsole;
let named: Named;
beforeAll(async () => {
  drs = await startConsole();
  const [datasetId = ""] = await uploadDocuments(drs.admin);
  const { id: webhookId } = await drs.admin.webhooks.create({ url: "https://hooks.example/drs" });
  named = { datasetId, webhookId };
  // Tables are as wide as what they list.
  await drs.admin.keys.create({
    name: "a key with a filter",
    filter: { customer: { $in: ["north", "south", "east"] } },
  });
  const { token } = await drs.admin.members.invite({ name: "Ben", role: "member" });
  await createDrs({ server: drs.server.url }).acceptInvitation({ token });
  // Another browser, whose session can be ended.
  await beginSession(drs.url, drs.server.credentials.apiKey);
  await drs.admin.members.invite({ name: "somebody.with.a.long.address@mail.example", role: "member" });
}, timeoutMs);
afterAll(() => drs.close());

test("every route of the console has an address here", () => {
  const known = new Set(placesOf({ datasetId: "", webhookId: "" }).map(({ route }) => route));
  expect(routesInSources()).toEqual(expect.arrayContaining(["/search", "/documents/:id", "/admin/keys", "/device"]));
  expect(routesInSources().filter((route) => !known.has(route))).toEqual([]);
});

// Why the dark theme is looked at for its colours alone.
test("a theme chooses between colours, and changes nothing else", () => {
  expect(themeRules()).toEqual([
    ':root[data-theme="dark"] { color-scheme: dark; }',
    ':root[data-theme="light"] { color-scheme: light; }',
  ]);
});

async function goTo(page: Page, path: string): Promise<void> {
  await page.goto(`${drs.url}${path}`);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  // The page of the design shows one for its own sake.
  if (path === "/design") return;
  await expect.poll(() => page.locator("main .skeleton, .viewer .skeleton").count(), { timeout: 60_000 }).toBe(0);
}

/** The problems by place, so that one run finds all of them. */
async function collect(faults: string[], where: string, work: () => Promise<unknown>): Promise<void> {
  await work().catch((cause: unknown) =>
    faults.push(`${where}: ${cause instanceof Error ? cause.message : String(cause)}`),
  );
}

inBrowser(
  "no route has a barrier, light or dark, nor has what opens there; zoomed to 200 % and on a phone none scrolls sideways as a page, and every control is in reach",
  async () => {
    const page = await drs.open("/");
    const faults: string[] = [];
    for (const { path, opens = [] } of placesOf(named)) {
      await collect(faults, path, async () => {
        await goTo(page, path);
        await expectAccessible(page);
      });
      for (const window of [zoomed, phone]) {
        const found = await misfitsAt(page, window);
        faults.push(...found.map((misfit) => `${path}: ${misfit}`));
      }
      for (const names of opens) {
        await collect(faults, `${path} ${names.join(", ")}`, async () => {
          await goTo(page, path);
          for (const name of names) await page.getByRole("button", { name, exact: true }).first().click();
          await page.locator("dialog.dialog[open], :popover-open").first().waitFor();
          await expectAccessible(page);
        });
      }
    }
    expect(faults).toEqual([]);
  },
  timeoutMs,
);

inBrowser(
  "nor where there is nothing yet, nor where what is asked for fails",
  async () => {
    const { apiKey } = await drs.admin.organisations.create({ name: "Newcomers" });
    const page = await drs.open("/", { credential: apiKey });
    const faults: string[] = [];
    const walk = async (state: string): Promise<void> => {
      for (const { path } of placesOf(named)) {
        await collect(faults, `${path} (${state})`, async () => {
          await goTo(page, path);
          await expectAccessible(page);
        });
      }
    };
    await walk("empty");
    const refusal = { code: "permission_denied", message: "this is refused by a test" };
    await page.route(/\/drs\.v1\.\w+\/(?!WhoAmI\b)/, (route) => route.fulfill({ status: 403, json: refusal }));
    await walk("refused");
    await goTo(page, "/admin/keys");
    await page.getByRole("alert").getByText("this is refused by a test").waitFor();
    await page.route(/\/drs\.v1\.\w+\/WhoAmI\b/, (route) => route.fulfill({ status: 403, json: refusal }));
    await collect(faults, "/ (nothing is known)", async () => {
      await goTo(page, "/");
      await expectAccessible(page);
    });
    expect(faults).toEqual([]);
  },
  timeoutMs,
);

inBrowser("the sign-in has none, and fits", async () => {
  const page = await drs.open("/", { credential: null });
  await page.getByLabel("Personal token or API key").fill("wrong");
  await page.keyboard.press("Enter");
  await page.getByText("This is not a token or key of this service").waitFor();
  await expectAccessible(page);
  for (const window of [zoomed, phone]) expect(await misfitsAt(page, window)).toEqual([]);
});
