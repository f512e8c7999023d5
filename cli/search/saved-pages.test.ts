import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { makeFoundFolder } from "./saved-pages.ts";

const cache = mkdtempSync(join(tmpdir(), "drs-test-cache-"));
afterEach(() => rmSync(cache, { recursive: true, force: true }));

test("each search has a folder of its own, for its user alone, and those of yesterday go", async () => {
  const env = { XDG_CACHE_HOME: cache };
  const first = await makeFoundFolder(env);
  const second = await makeFoundFolder(env);
  expect(dirname(first)).toBe(join(cache, "drs", "found"));
  expect(second).not.toBe(first);
  expect(statSync(first).mode & 0o077).toBe(0);
  expect(existsSync(first)).toBe(true);
  await makeFoundFolder(env, Date.now() + 25 * 3_600_000);
  expect([existsSync(first), existsSync(second)]).toEqual([false, false]);
});
