import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { drs, hasTerminal, open, terminalReason } from "./screen.ts";

describe.skipIf(!hasTerminal)(`drs serve in a terminal${terminalReason}`, () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "drs-terminal-serve-"));
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  test("says where everything is and how to stop, logs as text, and stops so", async () => {
    await using screen = await open([...drs, "serve", "--port", "0", "--data-dir", dataDir, "--log", "debug"], {});
    const text = await screen.waitFor(/stop +Ctrl-C/);
    const url = /drs listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(text)?.[1] ?? "";
    expect(text).toContain(`${url}/docs`);
    expect(text).toContain(`data     ${dataDir}`);
    expect(text).toContain(join(dataDir, "credentials.json"));
    await fetch(new URL("/v1/jobs", url));
    await screen.waitFor(/^\d\d:\d\d:\d\d (info|debug) +api +\S/m);
    expect(screen.history()).not.toContain('{"level"');
    screen.press("C-c");
    expect(await screen.exitCode()).toBe(0);
  }, 60_000);
});
