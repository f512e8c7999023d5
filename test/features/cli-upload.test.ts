import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createDrs, type Drs } from "@drs/client";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fakeService, goodKey } from "../../cli/testing/fake-service.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { compileCache } from "../service/compile-cache.ts";
import { startServer, type TestServer } from "../service/start.ts";

const bin = fileURLToPath(new URL("../../cli/bin/drs.js", import.meta.url));

let server: TestServer;
let drs: Drs;
let folder: string;
const running = new Set<ChildProcess>();

beforeAll(async () => {
  server = await startServer({ urlAllow: "127.0.0.1" });
  drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
});
afterAll(() => server.remove());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-cli-upload-"));
});
afterEach(async () => {
  for (const child of running) child.kill("SIGKILL");
  for await (const { id } of drs.datasets.list()) await drs.datasets.delete(id);
  await rm(folder, { recursive: true });
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Cli {
  readonly child: ChildProcess;
  /** The stdout so far. */
  stdout(): string;
  readonly ended: Promise<Ended>;
}

interface Circumstances {
  readonly input?: Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  /** Flags of the runtime. */
  readonly flags?: readonly string[];
}

/** The command line as a user has it, in a process of its own. */
function start(words: readonly string[], { input, env = {}, flags = [] }: Circumstances = {}): Cli {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [...flags, bin, ...words], {
    cwd: folder,
    env: {
      PATH,
      ...compileCache,
      HOME: folder,
      XDG_STATE_HOME: join(folder, "state"),
      DRS_SERVER: server.url,
      DRS_API_KEY: server.credentials.apiKey,
      ...env,
    },
  });
  running.add(child);
  child.stdin.end(input);
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (piece: string) => {
      texts[name] += piece;
    });
  const ended = once(child, "close").then(([code]): Ended => {
    running.delete(child);
    return { code: typeof code === "number" ? code : null, ...texts };
  });
  return { child, stdout: () => texts.stdout, ended };
}

const upload = (...words: string[]): Promise<Ended> => start(["upload", ...words]).ended;

async function put(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

const pdf = (text: string): Buffer => makePdf({ pages: [{ text }] });

async function names(): Promise<string[]> {
  const found: string[] = [];
  for await (const { fileName } of drs.datasets.list()) found.push(fileName);
  return found.toSorted();
}

interface Line {
  readonly file?: string;
  readonly outcome?: string;
  readonly datasetId?: string;
  readonly error?: string;
  readonly summary?: Readonly<Record<string, unknown>>;
}

const lines = (text: string): Line[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line): Line => JSON.parse(line));

describe("a folder", () => {
  test("goes up once; the second time nothing is sent", async () => {
    for (let index = 0; index < 30; index += 1)
      await put(`docs/${"abc"[index % 3]}/${index % 5}/n ${index}.pdf`, pdf(`document ${index}`));
    await put("docs/notes.txt", "no document");
    await put("docs/.hidden/x.pdf", pdf("hidden"));

    const first = await upload("-r", "docs", "--json");
    expect(first).toMatchObject({ code: 0, stderr: "" });
    const results = lines(first.stdout);
    expect(results).toHaveLength(31);
    expect(results[30]?.summary).toMatchObject({
      files: 30,
      uploaded: 30,
      skipped: 0,
      failed: 0,
      leftOut: 1,
      pages: 30,
    });
    expect(new Set(results.slice(0, 30).map(({ outcome }) => outcome))).toEqual(new Set(["uploaded"]));
    expect(await names()).toHaveLength(30);

    await put("docs/new.pdf", pdf("a new one"));
    const second = await upload("-r", "docs", "--report", "report.ndjson");
    expect(second.code).toBe(0);
    expect(second.stdout.match(/already there \(ds_/g)).toHaveLength(30);
    expect(second.stderr).toContain("1 uploaded");
    expect(second.stderr).toContain("30 already there, 1 other file left out");
    expect(await names()).toHaveLength(31);
    const report = lines(await readFile(join(folder, "report.ndjson"), "utf8"));
    expect(report).toHaveLength(32);
    expect(report[31]?.summary).toMatchObject({ uploaded: 1, skipped: 30 });
  });

  test("a folder without a document is no success", async () => {
    await mkdir(join(folder, "empty"), { recursive: true });
    await writeFile(join(folder, "empty/notes.txt"), "no document");
    const { code, stdout, stderr } = await upload("-r", "empty");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("nothing to upload: no document was found, and 1 other file left out\n  → drs takes pdf");
    expect(await upload("-r", "empty", "--json")).toMatchObject({ code: 1 });
  });

  test("names what failed and why, and the rest goes up", async () => {
    await put("docs/good.pdf", pdf("good"));
    await put("docs/broken.pdf", Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(4_000, 7)]));
    await put("docs/not really.docx", "just text");
    const { code, stdout, stderr } = await upload("-r", "docs");
    expect(code).toBe(3);
    expect(stdout).toMatch(/good\.pdf: ds_\w+, 1 page\n/);
    expect(stdout).toMatch(/broken\.pdf: failed: \S+/);
    expect(stdout).toMatch(/not really\.docx: not uploaded: \S+/);
    expect(stderr).toContain("1 uploaded (1 page");
    expect(stderr).toContain("2 failed");
    const alone = await upload("docs/broken.pdf", "--json");
    expect(alone.code).toBe(1);
    expect(lines(alone.stdout)).toMatchObject([
      { file: "docs/broken.pdf", outcome: "failed", error: expect.any(String) },
    ]);
  });

  test("without -r is a mistake, include and exclude choose", async () => {
    for (const name of ["a.pdf", "b.PDF", "drafts/c.pdf", "deep/drafts/d.pdf", "deep/e.pdf"])
      await put(`docs/${name}`, pdf(name));
    const mistake = await upload("docs");
    expect(mistake).toMatchObject({ code: 2, stdout: "" });
    expect(mistake.stderr).toContain("docs is a folder");
    expect(mistake.stderr).toContain("-r docs");
    expect((await upload("docs/a.pdf", "--include", "*")).code).toBe(2);
    expect((await upload("-r", "docs", "--include", "*.pdf", "--exclude", "drafts", "--no-wait")).code).toBe(0);
    expect(await names()).toEqual(["a.pdf", "b.PDF", "e.pdf"]);
  });

  test("identical files are sent once, and --force sends what is there", async () => {
    await put("docs/a.pdf", pdf("same"));
    await put("docs/b.pdf", pdf("same"));
    const { stdout } = await upload("-r", "docs", "--json");
    const sent = lines(stdout).find(({ outcome }) => outcome === "uploaded");
    const skipped = lines(stdout).find(({ outcome }) => outcome === "skipped");
    expect(sent).toBeDefined();
    expect(skipped).toMatchObject({ outcome: "skipped", datasetId: sent?.datasetId, sameAs: sent?.file });
    expect(await names()).toHaveLength(1);
    expect((await upload("docs/a.pdf", "--force")).code).toBe(0);
    expect(await names()).toHaveLength(2);
  });

  test("--if-exists return has the service answer, of standard input too", async () => {
    const again = ["upload", "-", "--name", "piped.pdf", "--if-exists", "return"];
    await start(again, { input: pdf("piped twice") }).ended;
    expect((await start(again, { input: pdf("piped twice") }).ended).code).toBe(0);
    expect(await names()).toEqual(["piped.pdf"]);
    await put("docs/a.pdf", pdf("piped twice"));
    expect((await upload("docs/a.pdf", "--if-exists", "create")).code).toBe(0);
    expect(await names()).toHaveLength(2);
    expect((await upload("docs/a.pdf", "--if-exists", "return", "--force")).code).toBe(2);
  });

  test("what is there without embeddings is made searchable instead of sent", async () => {
    await put("a.pdf", pdf("quarterly figures"));
    await upload("a.pdf");
    const { stdout } = await upload("a.pdf", "--vectorize", "--json");
    expect(lines(stdout)).toMatchObject([{ outcome: "vectorized", status: "SUCCESS" }]);
    expect(await names()).toEqual(["a.pdf"]);
    expect(await drs.search("quarterly figures")).not.toEqual([]);
    expect(lines((await upload("a.pdf", "--vectorize", "--json")).stdout)).toMatchObject([
      { outcome: "skipped", reason: "already there" },
    ]);
  });
});

describe("other sources", () => {
  test("standard input, under a name", async () => {
    const { code, stdout } = await start(["upload", "-", "--name", "piped.pdf"], { input: pdf("piped") }).ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^-: ds_\w+, 1 page\n$/);
    expect(await names()).toEqual(["piped.pdf"]);
  });

  test("addresses, which the service fetches", async () => {
    const files = createHttpServer(({ url }, response) =>
      url === "/a/annual%20report.pdf?key=1" ? response.end(pdf("fetched")) : response.writeHead(404).end(),
    );
    files.listen(0, "127.0.0.1");
    await once(files, "listening");
    const address = files.address();
    const origin = `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`;
    const { code, stdout } = await upload(`${origin}/a/annual%20report.pdf?key=1`, `${origin}/nothing.pdf`);
    files.close();
    expect(code).toBe(3);
    expect(stdout).toMatch(/annual%20report\.pdf: ds_\w+, 1 page\n/);
    expect(stdout).toMatch(/nothing\.pdf: failed: .*404/);
    expect(stdout).not.toContain("key=1");
    expect(await names()).toContain("annual report.pdf");
  });
});

/** A document of so many bytes: most of them stand between its pages and its cross-reference table. */
function largePdf(bytes: number): Buffer {
  const small = pdf("large");
  const at = small.lastIndexOf("\nxref\n") + 1;
  const padding = Buffer.alloc(bytes - small.length, "% padding\n");
  const tail = small.subarray(at).toString("latin1");
  return Buffer.concat([
    small.subarray(0, at),
    padding,
    Buffer.from(tail.replace(/startxref\n\d+/, `startxref\n${at + padding.length}`), "latin1"),
  ]);
}

describe("memory", () => {
  test("does not grow with the number of files", async () => {
    const service = await fakeService();
    for (let index = 0; index < 1_600; index += 1) await put(`docs/${index % 30}/${index}.pdf`, `%PDF- ${index}`);
    const heapFile = join(folder, "heap");
    const cli = start(["upload", "-r", "docs", "--no-wait"], {
      env: { DRS_SERVER: service.url, DRS_API_KEY: goodKey, HEAP_FILE: heapFile },
      flags: ["--expose-gc", "--import", new URL("../service/heap-on-signal.ts", import.meta.url).href],
    });
    const heapAfter = async (files: number): Promise<number> => {
      const ended = (): number => cli.stdout().split("\n").length - 1;
      await expect.poll(ended, { timeout: 60_000, interval: 10 }).toBeGreaterThan(files);
      await rm(heapFile, { force: true });
      cli.child.kill("SIGUSR2");
      const heap = (): Promise<number> => readFile(heapFile, "utf8").then(Number, () => 0);
      await expect.poll(heap, { timeout: 20_000, interval: 10 }).toBeGreaterThan(0);
      return heap();
    };
    const early = await heapAfter(400);
    const late = await heapAfter(1_500);
    expect((await cli.ended).code).toBe(0);
    await service.close();
    // Of each file no more than its SHA-256 and its name may stay.
    expect(late - early).toBeLessThan(1_100 * 2_000);
  }, 120_000);
});

interface Relay {
  readonly url: string;
  /** Bytes that clients have sent through it. */
  received(): number;
  /** Passes on nothing more from clients once it has received so many bytes. */
  hold(bytes: number): void;
  /** Cuts all connections and listens no more; can be started again on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Stands between client and service, to be stopped and to stop. */
async function startRelay(servicePort: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let receivedBytes = 0;
  let holdAt = Number.POSITIVE_INFINITY;
  const listener = createServer((client) => {
    const service = connect(servicePort, "127.0.0.1");
    for (const [socket, other] of [
      [client, service],
      [service, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    service.pipe(client);
    client.on("data", (piece) => {
      receivedBytes += piece.length;
      if (receivedBytes > holdAt) client.pause();
      else service.write(piece);
    });
  });
  let port = 0;
  const start = async (): Promise<void> => {
    listener.listen(port, "127.0.0.1");
    await once(listener, "listening");
    const address = listener.address();
    if (address !== null && typeof address === "object") port = address.port;
  };
  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    received: () => receivedBytes,
    hold(bytes) {
      receivedBytes = 0;
      holdAt = bytes;
    },
    start,
    async stop() {
      for (const socket of sockets) socket.destroy();
      if (!listener.listening) return;
      listener.close();
      await once(listener, "close");
    },
  };
}

describe("what is interrupted", () => {
  const bytes = 100_000_000;
  let relay: Relay;
  beforeEach(async () => {
    relay = await startRelay(Number(new URL(server.url).port));
    await put("large.pdf", largePdf(bytes));
  });
  afterEach(() => relay.stop());

  const through = (words: readonly string[]): Cli => start(words, { env: { DRS_SERVER: relay.url } });

  interface State {
    readonly state: { readonly key: string; readonly parts: readonly { readonly size: number }[] };
  }

  /** Starts an upload that stands still after 85 MB; the state that it has kept by then. */
  async function halfWay(started?: Cli): Promise<{ cli: Cli; key: string; arrived: number }> {
    relay.hold(85_000_000);
    const cli = started ?? through(["upload", "large.pdf"]);
    const states = join(folder, "state", "drs", "uploads");
    let saved: State | undefined;
    await expect
      .poll(
        async () => {
          const [name] = (await readdir(states).catch(() => [])).filter((entry) => entry.endsWith(".json"));
          if (name === undefined) return 0;
          saved = JSON.parse(await readFile(join(states, name), "utf8"));
          return saved?.state.parts.length;
        },
        { timeout: 30_000, interval: 20 },
      )
      .toBeGreaterThan(1);
    const arrived = saved?.state.parts.reduce((sum, { size }) => sum + size, 0) ?? 0;
    return { cli, key: saved?.state.key ?? "", arrived };
  }

  test("by Ctrl-C says how to go on, and goes on without sending anything twice", async () => {
    const { cli, key, arrived } = await halfWay();
    cli.child.kill("SIGINT");
    const { code, stderr } = await cli.ended;
    expect(code).toBe(130);
    expect(stderr).toContain(`drs uploads resume ${key}`);
    relay.hold(Number.POSITIVE_INFINITY);

    const listed = await through(["uploads", "list"]).ended;
    expect(listed.stdout).toMatch(new RegExp(`^${key} .* of 100 MB .* open$`, "m"));
    expect(listed.stderr).toContain(`drs uploads resume ${key}`);
    const before = relay.received();
    const resumed = await through(["uploads", "resume", key]).ended;
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringMatching(/large\.pdf: ds_\w+, 1 page\n/) });
    expect(relay.received() - before).toBeLessThan(bytes - arrived + 1_000_000);
    expect(await names()).toEqual(["large.pdf"]);
    expect((await through(["uploads", "list", "--json"]).ended).stdout).toContain('"total":0');
  });

  test("by kill -9 goes on when the same command is given again", async () => {
    const { cli, arrived } = await halfWay();
    cli.child.kill("SIGKILL");
    await cli.ended;
    relay.hold(Number.POSITIVE_INFINITY);
    const before = relay.received();
    const again = await through(["upload", "large.pdf"]).ended;
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/large\.pdf: ds_\w+, 1 page\n/) });
    expect(relay.received() - before).toBeLessThan(bytes - arrived + 1_000_000);
    expect(await names()).toEqual(["large.pdf"]);
  });

  test("goes on in its own workspace only", async () => {
    await drs.workspaces.create("elsewhere");
    const { token } = await drs.members.invite({ name: "Ada", role: "owner" });
    const session = await createDrs({ server: server.url }).acceptInvitation({ token });
    const asAda = (words: readonly string[]): Cli =>
      start(words, { env: { DRS_SERVER: relay.url, DRS_API_KEY: session.token } });
    const cli = asAda(["upload", "large.pdf"]);
    const { key, arrived } = await halfWay(cli);
    cli.child.kill("SIGINT");
    await cli.ended;
    relay.hold(Number.POSITIVE_INFINITY);

    const elsewhere = createDrs({ server: server.url, apiKey: session.token, workspace: "elsewhere" });
    const before = relay.received();
    expect((await asAda(["upload", "large.pdf", "--workspace", "elsewhere"]).ended).code).toBe(0);
    expect(relay.received() - before).toBeGreaterThan(bytes);
    const found = await Array.fromAsync(elsewhere.datasets.list());
    expect(found.map(({ fileName }) => fileName)).toEqual(["large.pdf"]);
    expect((await asAda(["uploads", "list", "--workspace", "elsewhere"]).ended).stdout).not.toContain(key);

    const again = relay.received();
    expect((await asAda(["uploads", "resume", key]).ended).code).toBe(0);
    expect(relay.received() - again).toBeLessThan(bytes - arrived + 1_000_000);
    expect(await names()).toEqual(["large.pdf"]);
    for (const { id } of found) await elsewhere.datasets.delete(id);
  });

  test("can be aborted: its parts are deleted, on client and server", async () => {
    const { cli, key } = await halfWay();
    cli.child.kill("SIGINT");
    await cli.ended;
    relay.hold(Number.POSITIVE_INFINITY);
    const aborted = await through(["uploads", "abort", "--all"]).ended;
    expect(aborted).toMatchObject({ code: 0, stdout: `${key} is ended, its parts are deleted\n` });
    await expect(drs.uploads.get(key)).rejects.toMatchObject({ code: "not_found" });
    const gone = await through(["uploads", "resume", key]).ended;
    expect(gone.code).toBe(2);
    expect(gone.stderr).toContain("drs uploads list");
  });

  test("by a server that stops ends with what was not sent; if it starts again, nothing is missing or doubled", async () => {
    await rm(join(folder, "large.pdf"));
    for (let index = 0; index < 12; index += 1) await put(`docs/${index}.pdf`, pdf(`document ${index}`));
    const cut = through(["upload", "-r", "docs", "--at-once", "1", "--retry-timeout", "1", "--json"]);
    await expect.poll(cut.stdout, { timeout: 20_000, interval: 5 }).toContain("\n");
    await relay.stop();
    const { code, stdout } = await cut.ended;
    const failed = lines(stdout).filter(({ outcome }) => outcome === "failed");
    expect(failed.length).toBeGreaterThan(0);
    for (const { error } of failed) expect(error).toContain(`cannot reach ${relay.url}`);
    expect(code).toBe(3);
    expect(lines(stdout).at(-1)?.summary).toMatchObject({ files: 12, failed: failed.length });

    await relay.start();
    const patient = through(["upload", "-r", "docs", "--at-once", "1", "--retry-timeout", "30", "--json"]);
    await expect.poll(patient.stdout, { timeout: 20_000, interval: 5 }).toContain("\n");
    await relay.stop();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await relay.start();
    expect((await patient.ended).code).toBe(0);
    expect(await names()).toHaveLength(12);
  });
});
