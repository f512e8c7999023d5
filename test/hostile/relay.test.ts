import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOwner, lockDataDir } from "../../server/storage/lock.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createProvenFetch } from "../../cli/local/proven-fetch.ts";
import { isProven } from "../../cli/local/proven.ts";
import { runCaptured } from "../../cli/testing/run-captured.ts";
import { startServer, type TestServer } from "../service/start.ts";

/** A program of another user that forwards everything to the server, and reads it. */
interface Relay {
  readonly seen: () => string;
  readonly port: number;
  close(): Promise<void>;
}

async function startRelay(host: string, port: number, to: { host: string; port: number }): Promise<Relay> {
  let seen = "";
  const sockets = new Set<{ destroy(): void }>();
  const server: Server = createServer((socket) => {
    const onward = connect(to);
    for (const end of [socket, onward]) {
      sockets.add(end);
      end.on("error", () => end.destroy());
    }
    socket.on("data", (piece) => (seen += piece.toString("latin1")));
    socket.pipe(onward).pipe(socket);
  });
  server.listen(port, host);
  await once(server, "listening");
  return {
    seen: () => seen,
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

async function canListen(host: string): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(0, host);
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

const [hasIpv6, hasWholeLoopback] = await Promise.all([canListen("::1"), canListen("127.0.0.2")]);

describe("a relay of another user", () => {
  let server: TestServer;
  let port: number;
  const relays: Relay[] = [];

  beforeAll(async () => {
    server = await startServer();
    port = Number(new URL(server.url).port);
  });
  afterEach(async () => {
    for (const relay of relays.splice(0)) await relay.close();
  });
  afterAll(() => server.remove());

  async function relayOn(host: string, onPort = port): Promise<Relay> {
    const relay = await startRelay(host, onPort, { host: "127.0.0.1", port });
    relays.push(relay);
    return relay;
  }

  const whoami = (address: string): ReturnType<typeof runCaptured> =>
    runCaptured(["whoami", "--json", "--server", address], {
      DRS_DATA_DIR: server.dataDir,
      XDG_CONFIG_HOME: server.dataDir,
    });

  const loopbacks = [
    ["[::1]", "::1", hasIpv6],
    ["127.0.0.2", "127.0.0.2", hasWholeLoopback],
  ] as const;

  describe.each(loopbacks)("on %s", (written, host, isThere) => {
    test.skipIf(!isThere)("gets no key of a command that names its address", async () => {
      const relay = await relayOn(host);
      const outcome = await whoami(`http://${written}:${port}`);
      expect(outcome).toMatchObject({ code: 4, stderr: expect.stringContaining("no API key for") });
      expect(relay.seen()).toBe("");
    });

    test.skipIf(!isThere)("gets nothing of a command that names localhost, wherever that leads", async () => {
      const relay = await relayOn(host);
      expect(await whoami(`http://localhost:${port}`)).toMatchObject({ code: 0, stderr: "" });
      expect(relay.seen()).toBe("");
    });

    test.skipIf(!isThere)("cannot use the server's own proof, even where the command goes to it", async () => {
      const relay = await relayOn(host);
      const through = createProvenFetch({ url: `http://${written}:${port}`, secret: secretOf(server) });
      const asked = through.fetch(`http://${written}:${port}/v1/datasets`, { headers: withKey(server) });
      await expect(asked).rejects.toMatchObject({ cause: { name: "Unproven" } });
      await through.close();
      expect(relay.seen()).toMatch(onlyNonce);
    });
  });

  test("on another port cannot either", async () => {
    const relay = await relayOn("127.0.0.1", 0);
    const url = `http://127.0.0.1:${relay.port}`;
    expect(await isProven({ url, secret: secretOf(server) }, new AbortController().signal)).toBe(false);
    expect(relay.seen()).toMatch(onlyNonce);
  });

  test("the health check tells a relay nothing", async () => {
    expect(await (await fetch(`${server.url}/healthz`)).json()).toEqual({ status: "ok" });
  });

  test.each(["", "?nonce=", "?nonce=short", `?nonce=${"a".repeat(44)}`, `?nonce=${"%0A".repeat(43)}`])(
    "the server signs nonces only, not %j",
    async (query) => {
      const response = await fetch(`${server.url}/identity${query}`);
      expect([response.status, response.headers.get("drs-proof")]).toEqual([400, null]);
    },
  );
});

describe("a port that another program has taken", () => {
  test("after the server that proved itself has died: no key, on no connection", async () => {
    const server = await startServer();
    const { url, port } = { url: server.url, port: Number(new URL(server.url).port) };
    const through = createProvenFetch({ url, secret: secretOf(server) });
    const ask = (): Promise<Response> => through.fetch(`${url}/v1/datasets`, { headers: withKey(server) });
    expect((await ask()).status).toBe(200);
    await server.close();
    const thief = await startRelay("127.0.0.1", port, { host: "127.0.0.1", port: 1 });
    await expect(ask()).rejects.toThrow("fetch failed");
    await through.close();
    await thief.close();
    expect(thief.seen()).toMatch(onlyNonce);
    await server.remove();
  });

  test("a proof for another server, or for an earlier start of the same, is none", async () => {
    const [server, other] = await Promise.all([startServer(), startServer()]);
    const { signal } = new AbortController();
    expect(await isProven({ url: server.url, secret: secretOf(server) }, signal)).toBe(true);
    expect(await isProven({ url: server.url, secret: secretOf(other) }, signal)).toBe(false);
    await Promise.all([server.remove(), other.remove()]);
  });
});

describe("the server.json of an older version, whose server still runs", () => {
  test("is said to be that, and gets no key", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "drs-relay-"));
    const lock = lockDataDir(dataDir);
    const thief = await startRelay("127.0.0.1", 0, { host: "127.0.0.1", port: 1 });
    const url = `http://127.0.0.1:${thief.port}`;
    const old = { pid: process.pid, kind: "server", url, instance: "b0c5" };
    await writeFile(join(dataDir, "server.json"), JSON.stringify(old));
    await writeFile(join(dataDir, "credentials.json"), JSON.stringify({ apiKey: "drs_secret" }));
    const env = { DRS_DATA_DIR: dataDir, XDG_CONFIG_HOME: dataDir };
    expect(await runCaptured(["whoami"], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is of an older version of drs"),
    });
    expect(await runCaptured(["whoami", "--server", url], env)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("no API key for"),
    });
    expect(thief.seen()).toBe("");
    await thief.close();
    lock.release();
    await rm(dataDir, { recursive: true });
  });
});

/** One challenge, and neither a key nor anything else. */
const onlyNonce = /^(?:GET \/identity\?nonce=[\w-]{43} HTTP\/1\.1\r\nhost: [\w.:[\]]+\r\n\r\n)+$/;

const withKey = ({ credentials }: TestServer): Record<string, string> => ({ "x-api-key": credentials.apiKey });

function secretOf({ dataDir }: TestServer): string {
  const secret = readOwner(dataDir)?.address?.secret;
  if (secret === undefined) throw new Error("the server has written no secret");
  return secret;
}
