import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { expect, test } from "vitest";
import { createDrs, type Drs } from "@drs/client";
import type { Credentials } from "../../server/startup/credentials.ts";
import type { SettingSources } from "../../server/settings/settings.ts";
import { chromiumFlags, chromiumPath, missingChromium, signInto } from "../service/chromium.ts";
import { startServer, type TestServer } from "../service/start.ts";

/** A test that runs where there is a Chromium, and is shown as skipped elsewhere. */
export function inBrowser(name: string, run: () => Promise<void>, timeoutMs?: number): void {
  // oxlint-disable-next-line vitest/no-disabled-tests, vitest/expect-expect, vitest/valid-title -- the test is the caller's
  test.skipIf(missingChromium !== undefined)(name, run, timeoutMs);
}

/** The server of the console, which is removed with it. */
type ConsoleServer = Pick<TestServer, "url" | "remove"> & { readonly credentials: Pick<Credentials, "apiKey"> };

export interface TestConsole<Server extends ConsoleServer = TestServer> {
  readonly server: Server;
  /** Everything may be done with it. */
  readonly admin: Drs;
  /** Opens a page in a browser profile of its own; signed in unless told otherwise. */
  open(path?: string, options?: OpenOptions): Promise<Page>;
  /** As browsers reach it. */
  readonly url: string;
  /** Ends all; fails if any page had an error, broke its content security policy or asked another origin. */
  close(): Promise<void>;
}

interface OpenOptions {
  /** The credential to sign in with; null for none. Default: the key of the first start. */
  readonly credential?: string | null;
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: "light" | "dark";
  readonly locale?: string;
}

/** A real server, and pages of its console in a real Chromium. */
export async function startConsole(flags: SettingSources["flags"] = {}): Promise<TestConsole> {
  const server = await startServer(flags);
  return consoleOf(server, { url: flags.publicUrl ?? server.url });
}

interface ConsoleOptions {
  /** Where browsers find the server. */
  readonly url: string;
  /** The test ends the server while pages are open. */
  readonly mayBeAway?: boolean;
}

/** Pages of the console of a server, in a real Chromium. */
export function consoleOf<Server extends ConsoleServer>(
  server: Server,
  { url, mayBeAway = false }: ConsoleOptions,
): TestConsole<Server> {
  const contexts: { readonly context: BrowserContext; readonly folder: string }[] = [];
  const faults: string[] = [];
  return {
    server,
    url,
    admin: createDrs({ server: server.url, apiKey: server.credentials.apiKey }),
    async open(path = "/", options = {}) {
      const { credential = server.credentials.apiKey, width = 1280, height = 900 } = options;
      const { colorScheme = "light", locale = "en-GB" } = options;
      const folder = await mkdtemp(join(tmpdir(), "drs-chromium-"));
      const context = await chromium.launchPersistentContext(folder, {
        executablePath: chromiumPath,
        headless: true,
        args: chromiumFlags,
        viewport: { width, height },
        colorScheme,
        locale,
      });
      contexts.push({ context, folder });
      context.setDefaultNavigationTimeout(bundledWithinMs);
      const page = context.pages()[0] ?? (await context.newPage());
      watch(page, new URL(url).origin, faults);
      if (credential !== null) await signInto(context, url, credential);
      await page.goto(`${url}${path}`);
      return page;
    },
    async close() {
      for (const { context, folder } of contexts) {
        await context.close();
        await rm(folder, { recursive: true, force: true });
      }
      await server.remove();
      expect(mayBeAway ? faults.filter((fault) => !brokenConnection.test(fault)) : faults).toEqual([]);
    },
  };
}

/** The console is bundled at the first request; other tests may have the machine meanwhile. */
const bundledWithinMs = 120_000;

/** As the browser logs it. */
const brokenConnection = /Failed to load resource: net::ERR_(?:CONNECTION_|EMPTY_RESPONSE|INCOMPLETE_CHUNKED|SOCKET_)/;

/** Violations of the policy are errors of the console. */
function watch(page: Page, origin: string, faults: string[]): void {
  page.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warning") return;
    // A request that is refused, as the first one of somebody who is not signed in, is logged by the browser.
    if (/Failed to load resource: the server responded with a status of 4\d\d/.test(message.text())) return;
    faults.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`uncaught: ${error.message}`));
  page.on("request", (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    // Where a person goes: to a provider to sign in with, and back.
    if (request.isNavigationRequest()) return;
    if (/^https?:$/.test(protocol) && asked !== origin) faults.push(`request to ${asked}`);
  });
}

const axe = await readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** Rules about colours, the only thing that a theme changes (routes.test.ts). */
const colourRules = ["color-contrast", "link-in-text-block"];

/** Finds no barrier in the page in the light theme, and in the dark one none that its colours make. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.evaluate(axe);
  for (const [colorScheme, runOnly] of [
    ["light", undefined],
    ["dark", colourRules],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    // Most of what it finds are rules that are kept: neither is it described at length, nor sent.
    const options = JSON.stringify({ resultTypes: ["violations"], runOnly });
    const { violations } = await page.evaluate<AxeResults>(
      `axe.run(${options}).then(({ violations }) => ({ violations }))`,
    );
    const found = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = "" }) => `${colorScheme}: ${id}: ${html}\n${failureSummary}`),
    );
    expect(found).toEqual([]);
  }
}

/** Writes a picture of the page where `DRS_TEST_SCREENSHOTS` names a folder, for people to look at. */
export async function show(page: Page, name: string): Promise<void> {
  const folder = process.env["DRS_TEST_SCREENSHOTS"];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
}
