import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readOwner, isLocked, lockDataDir } from "../../server/storage/lock.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { type CommandProcess, startCommand } from "../service/command.ts";

const documentOf = (about: string, pages: number): Uint8Array =>
  makePdf({ pages: Array.from({ length: pages }, (_, index) => ({ text: `About ${about}, chapter ${index + 1}` })) });
const short = documentOf("gardening", 3);
/** Enough pages that the job is interrupted in the middle. */
const longPages = 400;
const long = documentOf("navigation", longPages);

// Some start a dozen servers, each with a worker, beside other tests.
describe("without a server", { timeout: 180_000 }, () => {
  let folder: string;
  let dataDir: string;
  let env: Record<string, string>;
  const started: CommandProcess[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "drs-local-"));
    dataDir = join(folder, "data");
    env = { DRS_DATA_DIR: dataDir, HOME: folder, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder, TMPDIR: folder };
    await Promise.all([
      writeFile(join(folder, "short.pdf"), short),
      writeFile(join(folder, "other.pdf"), documentOf("cooking", 3)),
      writeFile(join(folder, "medium.pdf"), documentOf("surveying", 200)),
      writeFile(join(folder, "long.pdf"), long),
    ]);
  });
  afterEach(async () => {
    for (const command of started.splice(0)) {
      command.kill("SIGKILL");
      await command.outcome;
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  function drs(...words: string[]): CommandProcess {
    const command = startCommand(words, env);
    started.push(command);
    return command;
  }

  async function json(...words: string[]): Promise<{ total: number; data: readonly { id: string }[] }> {
    const { code, stdout, stderr } = await drs(...words, "--json").outcome;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout);
  }

  /** The command that serves the data folder, once it answers. */
  async function serving(command: CommandProcess): Promise<void> {
    await expect
      .poll(() => readOwner(dataDir), { timeout: 30_000, interval: 10 })
      .toMatchObject({ pid: command.pid, address: { url: expect.any(String) } });
  }

  test("commands serve themselves, one after another, and found pages are files", async () => {
    const upload = await drs("upload", join(folder, "short.pdf"), "--vectorize", "--json").outcome;
    expect(upload).toMatchObject({ code: 0, stderr: "" });
    const found = await json("search", "gardening");
    expect(found.data[0]).toMatchObject({ fileName: "short.pdf" });
    expect(isLocked(dataDir)).toBe(false);
    expect(readOwner(dataDir)).toBeUndefined();

    // Pages that are found are files: links would end with the command.
    expect(found.data[0]).toMatchObject({ savedTo: expect.stringMatching(/\.jpg$/) });
    const { stdout } = await drs("search", "gardening").outcome;
    expect(stdout).not.toContain("http:");
    const paths = [...stdout.matchAll(/^ +(\/.*\.jpg)$/gm)].map(([, path = ""]) => path);
    expect(paths).toHaveLength(3);
    for (const path of paths) expect([...(await readFile(path)).subarray(0, 2)]).toEqual([0xff, 0xd8]);
  });

  test("a search says which documents it cannot find yet, and vectorize does not leave its job standing", async () => {
    await drs("upload", join(folder, "short.pdf")).outcome;
    const upload = await drs("upload", join(folder, "medium.pdf"), "--vectorize", "--no-wait").outcome;
    const [jobId = ""] = /dsj_\w+/.exec(upload.stdout) ?? [];
    expect(await drs("search", "nothing").outcome).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`1 document is still being read, pages may be missing: drs jobs watch ${jobId}`),
    });
    const { stdout } = await drs("search", "nothing", "--json").outcome;
    expect(JSON.parse(stdout)).toMatchObject({ pendingJobIds: [jobId] });
    expect(await drs("jobs", "watch", jobId).outcome).toMatchObject({ code: 0 });
    const vectorized = await drs("datasets", "vectorize", "short.pdf").outcome;
    expect(vectorized).toMatchObject({ code: 0, stdout: "short.pdf can be searched\n" });
    const after = await drs("search", "gardening").outcome;
    expect(after.stdout).toContain("short.pdf, page 1");
    expect(after.stderr).not.toContain("still being read");
  });

  test("commands that start at the same time share one server, and all succeed", async () => {
    const commands = [
      drs("upload", join(folder, "short.pdf"), "--vectorize"),
      drs("upload", join(folder, "other.pdf"), "--vectorize"),
      drs("search", "gardening"),
      drs("datasets", "list"),
      drs("jobs", "list"),
    ];
    for (const command of commands) expect(await command.outcome).toMatchObject({ code: 0 });
    expect(await json("datasets", "list")).toMatchObject({ total: 2 });
    expect(await json("keys", "list")).toMatchObject({ total: 1 });
    expect(await json("workspaces", "list")).toMatchObject({ total: 1 });
  });

  test("a command stays as long as others use its server", async () => {
    const owner = drs("upload", join(folder, "medium.pdf"), "--vectorize");
    await serving(owner);
    const guest = drs("upload", join(folder, "long.pdf"), "--vectorize");
    expect(await owner.outcome).toMatchObject({ code: 0, stderr: expect.stringContaining("waiting for them") });
    expect(await guest.outcome).toMatchObject({ code: 0 });
    expect(await json("datasets", "list")).toMatchObject({ total: 2 });
  });

  test("a job that is left unfinished is reported, and goes on with the next command", async () => {
    const upload = await drs("upload", join(folder, "long.pdf"), "--vectorize", "--no-wait").outcome;
    expect(upload).toMatchObject({ code: 0, stderr: expect.stringContaining("1 job is unfinished and will continue") });
    const [job] = (await json("jobs", "list")).data;
    expect(await drs("jobs", "watch", job?.id ?? "").outcome).toMatchObject({ code: 0 });
  });

  test.each([
    ["killed", "SIGKILL", null],
    ["interrupted", "SIGINT", 130],
  ] as const)("when the one that serves is %s, another takes over, and the job goes on", async (_, signal, code) => {
    const owner = drs("upload", join(folder, "long.pdf"), "--vectorize");
    await serving(owner);
    await expect.poll(() => owner.stderr(), { timeout: 30_000 }).toContain("reading pages");
    const [job] = (await json("jobs", "list")).data;
    const guest = drs("jobs", "watch", job?.id ?? "");
    await expect.poll(() => guest.stderr(), { timeout: 30_000 }).toContain("pages");
    const workers = childrenOf(owner.pid);
    expect(workers.length).toBeGreaterThan(0);
    owner.kill(signal);
    expect(await owner.outcome).toMatchObject({ code });
    await serving(guest);
    expect(await guest.outcome).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${longPages} of ${longPages} pages`),
    });
    for (const pid of workers) await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
    expect(await json("datasets", "list")).toMatchObject({ total: 1 });
  });

  test("drs serve waits for a command, and a command uses drs serve", async () => {
    const owner = drs("upload", join(folder, "long.pdf"), "--vectorize");
    await serving(owner);
    const server = drs("serve", "--port", "0", "--log", "error");
    await expect.poll(() => server.stderr(), { timeout: 30_000 }).toContain(`a drs command (process ${owner.pid})`);
    owner.kill("SIGINT");
    await owner.outcome;
    await serving(server);
    await json("datasets", "list");
    expect(readOwner(dataDir)).toMatchObject({ pid: server.pid, kind: "server" });
    server.kill("SIGTERM");
    expect(await server.outcome).toMatchObject({ code: 0, stdout: expect.stringContaining("drs listening on ") });
  });

  test("can be switched off", async () => {
    env = { ...env, DRS_LOCAL: "never" };
    const { code, stderr } = await drs("datasets", "list").outcome;
    expect(code).toBe(1);
    expect(stderr).toContain(`no server is running on the data folder ${dataDir}`);
    env = { ...env, DRS_LOCAL: "perhaps" };
    expect(await drs("datasets", "list").outcome).toMatchObject({ code: 2 });
    env = { ...env, DRS_LOCAL: "never" };
    expect((await drs("doctor").outcome).stdout).toContain("none is running, and DRS_LOCAL");
  });

  test("a data folder that cannot be made is a clear error", async () => {
    env = { ...env, DRS_DATA_DIR: join(folder, "short.pdf", "data") };
    const { code, stderr } = await drs("datasets", "list").outcome;
    expect(code).toBe(1);
    expect(stderr).toContain("a part of the path is not a folder");
    env = { ...env, DRS_DATA_DIR: join(folder, "short.pdf") };
    for (const words of [["datasets", "list"], ["serve"], ["verify"]]) {
      const outcome = await drs(...words).outcome;
      expect([outcome.code, outcome.stderr]).toEqual([1, expect.stringContaining("short.pdf is not a folder")]);
    }
  });

  test("a second drs serve names the first one's address, and a busy port is one error", async () => {
    const first = drs("serve", "--port", "0", "--log", "error");
    await serving(first);
    const { url } = readOwner(dataDir)?.address ?? { url: "" };
    const second = await drs("serve", "--port", "0").outcome;
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining(`a drs server at ${url} (process `)]);
    const busy = await drs("serve", "--port", new URL(url).port, "--data-dir", join(folder, "other")).outcome;
    expect([busy.code, busy.stderr]).toEqual([
      1,
      expect.stringMatching(/^error: .*another program listens there\n .*\n$/),
    ]);
  });

  describe("another program on the port of an earlier server", () => {
    let stranger: Server;
    const seen: string[] = [];

    beforeEach(async () => {
      seen.length = 0;
      stranger = createServer((request, response) => {
        const { "x-api-key": key, authorization } = request.headers;
        seen.push(`${request.url} ${String(key ?? authorization ?? "without a key")}`);
        response.setHeader("content-type", "application/json").end('{"status":"ok","instance":"guessed"}');
      });
      await json("datasets", "list");
    });
    afterEach(() => void stranger.close());

    async function listenOn(port: number): Promise<string> {
      stranger.listen(port, "127.0.0.1");
      await once(stranger, "listening");
      const { port: used } = stranger.address() as AddressInfo;
      return `http://127.0.0.1:${used}`;
    }

    test("never sees the key, neither unasked nor named", async () => {
      const { server }: { server: string } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8"));
      const address = await listenOn(Number(new URL(server).port));
      await json("datasets", "list");
      const named = await drs("datasets", "list", "--server", address).outcome;
      expect(named).toMatchObject({ code: 4, stderr: expect.stringContaining(`no API key for ${address}`) });
      expect(seen).toEqual([]);
    });

    test("is only challenged where server.json names it", async () => {
      const address = await listenOn(0);
      const lock = lockDataDir(dataDir, "command");
      lock.publish(address);
      const listing = drs("datasets", "list", "--json");
      await expect.poll(() => seen.length, { timeout: 30_000 }).toBeGreaterThan(1);
      expect(await drs("datasets", "list", "--server", address).outcome).toMatchObject({ code: 4 });
      lock.release();
      expect(await listing.outcome).toMatchObject({ code: 0 });
      expect(new Set(seen.map((line) => line.replace(/nonce=[\w-]{43}/, "nonce")))).toEqual(
        new Set(["/identity?nonce without a key"]),
      );
      expect(new Set(seen).size).toBe(seen.length);
    });
  });

  test("an emptied data folder is set up again", async () => {
    await json("datasets", "list");
    await rm(dataDir, { recursive: true });
    expect(await json("keys", "list")).toMatchObject({ total: 1 });
  });
});

function childrenOf(pid: number): number[] {
  return execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map(Number);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
