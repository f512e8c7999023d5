import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startCommand } from "../service/command.ts";

test("what drs quickstart --keep prints goes on working", { timeout: 240_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "drs-keep-"));
  // No browser is to be opened by a test.
  const env = { HOME: folder, XDG_CACHE_HOME: folder, TMPDIR: folder, PATH: "" };
  const kept = startCommand(["quickstart", "--keep"], env);
  try {
    await expect.poll(() => kept.stderr(), { timeout: 180_000 }).toContain("Ctrl+C ends the server");
    const printed = /^console {2}(\S+)[^]*^key {6}(\S+)$[^]* search "your question" --data-dir (\S+)$/m;
    const [, url = "", key = "", dataDir = ""] = printed.exec(kept.stderr()) ?? [];
    for (let times = 0; times < 2; times += 1) {
      const response = await fetch(new URL("/v1/datasets", url), { headers: { "x-api-key": key } });
      expect(await response.json()).toMatchObject({ total: 3 });
      const opened = await startCommand(["open", "--print", "--data-dir", dataDir], env).outcome;
      expect(opened.stdout).toContain(url);
    }
  } finally {
    kept.kill("SIGINT");
    await kept.outcome;
    await rm(folder, { recursive: true, force: true });
  }
});
