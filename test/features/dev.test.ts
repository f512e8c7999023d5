import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** The address in the next line that tells it. */
async function nextAddress(lines: AsyncIterator<string>): Promise<string> {
  for (;;) {
    const { value, done } = await lines.next();
    if (done === true) throw new Error("the server ended");
    const address = /^drs listening on (\S+)$/.exec(value)?.[1];
    if (address !== undefined) return address;
  }
}

test("npm run dev starts server and worker anew when a file of the server changes", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "drs-dev-"));
  const child = spawn(
    "npm",
    ["run", "--silent", "dev", "--", "--data-dir", dataDir, "--port", "0", "--log", "silent"],
    {
      cwd: repository,
      stdio: ["ignore", "pipe", "inherit"],
      // npm, the watch and the server are ended together.
      detached: true,
    },
  );
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  try {
    await nextAddress(lines);
    // As when it is saved as it was.
    await utimes(join(repository, "server/settings/settings.ts"), new Date(), new Date());
    const ready = await fetch(new URL("/healthz", await nextAddress(lines)));
    expect(ready.status).toBe(200);
  } finally {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
    await exited;
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20 });
  }
});
