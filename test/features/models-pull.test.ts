import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readyPacks } from "../../server/embedding/catalog.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Captured, runCaptured } from "../../cli/testing/run-captured.ts";
import { type Answer, type FileServer, startFileServer } from "../fixtures/file-server.ts";
import { type SamplePack, samplePack, sha256 } from "../fixtures/model-pack.ts";
import { startCommand } from "../service/command.ts";

const fileBytes = 400_000;
/** A pack of a public model for whose files no checksum is known. */
const unpinned = (await readyPacks()).find(({ files }) =>
  files.every((file) => file.bytes === undefined && file.sha256 === undefined),
);
const token = "hf_a-secret-of-the-test";

let pack: SamplePack;
/** The first of the pack's files, and where the hub has it. */
let first: { readonly path: string; readonly content: Buffer };
beforeAll(async () => {
  pack = await samplePack({ id: "sample", version: "1.2.3", fileBytes });
  const [entry] = pack.files;
  if (entry === undefined) throw new Error("the built-in pack has no files");
  first = { path: entry[0], content: entry[1] };
});

let answers: Record<string, Answer>;
let hub: FileServer;
let cdn: FileServer;
let dataDir: string;
const target = (): string => join(dataDir, "models", pack.name);
const onHub = (path: string, revision = "main"): string => `/someone/sample/resolve/${revision}/${path}`;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "drs-pull-"));
  answers = { [onHub("pack.json")]: whole(Buffer.from(pack.manifest)) };
  for (const [path, content] of pack.files) answers[onHub(path)] = whole(content);
  const late =
    (name: string): Answer =>
    (response, request, query) => {
      const answer = answers[name];
      if (answer === undefined) response.writeHead(404).end();
      else answer(response, request, query);
    };
  const names = [...Object.keys(answers), onHub("pack.json", "v1"), "/elsewhere/pack.json"];
  for (const path of pack.files.keys()) names.push(onHub(path, "v1"), `/elsewhere/${path}`);
  hub = await startFileServer(Object.fromEntries(names.map((name) => [name, late(name)])));
  cdn = await startFileServer({ "/stored": whole(first.content) });
});
afterEach(async () => {
  await hub.close();
  await cdn.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Serves ranges to those who name the entity tag, as the hub's storage does. */
function whole(content: Buffer): Answer {
  const etag = `"${sha256(content).slice(0, 16)}"`;
  return (response, { headers }) => {
    const [, start] = /^bytes=(\d+)-$/.exec(headers.range ?? "") ?? [];
    if (start === undefined || headers["if-range"] !== etag) {
      response.writeHead(200, { "content-length": content.length, etag }).end(content);
      return;
    }
    const rest = content.subarray(Number(start));
    const range = `bytes ${start}-${content.length - 1}/${content.length}`;
    response.writeHead(206, { "content-length": rest.length, "content-range": range, etag }).end(rest);
  };
}

/** The first half at once, the rest never. */
function half(content: Buffer): Answer {
  const etag = `"${sha256(content).slice(0, 16)}"`;
  return (response) => {
    response.writeHead(200, { "content-length": content.length, etag });
    response.write(content.subarray(0, content.length / 2));
  };
}

const env = (): Record<string, string> => ({
  DRS_DATA_DIR: dataDir,
  DRS_HUB_URL: hub.url,
  DRS_URL_ALLOW: "127.0.0.1",
  XDG_CONFIG_HOME: dataDir,
});

const pull = (source: string, more: Record<string, string> = {}): Promise<Captured> =>
  runCaptured(["models", "pull", source], { ...env(), ...more });

/** The command must fail with exit code 1 and say so; nothing may look like an installed pack. */
async function refused(pulling: Promise<Captured>, said: RegExp): Promise<void> {
  const { code, stderr } = await pulling;
  expect([code, stderr]).toEqual([1, expect.stringMatching(said)]);
  expect(existsSync(target())).toBe(false);
}

async function expectInstalled(): Promise<void> {
  for (const [path, content] of pack.files) expect(await readFile(join(target(), path))).toEqual(content);
  expect(JSON.parse(await readFile(join(target(), "pack.json"), "utf8"))).toMatchObject({ id: "sample" });
  // Nothing else is left behind.
  expect(await readdir(join(dataDir, "models"))).toEqual([pack.name]);
}

const requestsFor = (path: string) => hub.requests.filter(({ url }) => url === onHub(path));

describe("drs models pull", () => {
  test("brings a pack from the hub, says its licence, and does not fetch it twice", async () => {
    const { code, stdout, stderr } = await pull("someone/sample");
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("licence Apache-2.0") });
    expect(stdout).toContain(`drs models use ${pack.name}`);
    await expectInstalled();
    const asked = hub.requests.length;
    expect(await pull("hf:someone/sample")).toMatchObject({ code: 0, stdout: expect.stringContaining("already") });
    // Only its manifest.
    expect(hub.requests).toHaveLength(asked + 1);
  });

  test("takes a revision, the address of a pack.json, or a folder", async () => {
    for (const [name, answer] of Object.entries(answers)) {
      answers[name.replace("/main/", "/v1/")] = answer;
      answers[name.replace(onHub(""), "/elsewhere/")] = answer;
    }
    const folder = join(dataDir, "copy");
    await mkdir(folder);
    await writeFile(join(folder, "pack.json"), pack.manifest);
    for (const [path, content] of pack.files) await writeFile(join(folder, path), content);
    for (const source of ["someone/sample@v1", `${hub.url}/elsewhere/pack.json`, folder]) {
      expect([source, await pull(source)]).toEqual([source, expect.objectContaining({ code: 0 })]);
      await expectInstalled();
      await rm(target(), { recursive: true });
    }
  });

  test.skipIf(unpinned === undefined)("records the checksums of a ready pack's files at the first pull", async () => {
    if (unpinned === undefined) return;
    const { name, source, files } = unpinned;
    const contents = new Map(files.map(({ path }) => [path, randomBytes(1000)]));
    const served = files.map(({ path, from }): [string, Answer] => [
      `/${source.hub}/resolve/${source.revision}/${from}`,
      whole(contents.get(path) ?? Buffer.of()),
    ]);
    const publicHub = await startFileServer(Object.fromEntries(served));
    try {
      expect(await pull(name, { DRS_HUB_URL: publicHub.url })).toMatchObject({ code: 0 });
    } finally {
      await publicHub.close();
    }
    const [installed = ""] = await readdir(join(dataDir, "models"));
    const manifest = JSON.parse(await readFile(join(dataDir, "models", installed, "pack.json"), "utf8"));
    expect(manifest.files).toEqual(
      Array.from(contents, ([path, content]) => ({ path, bytes: 1000, sha256: sha256(content) })),
    );
  });

  test("goes on where a killed run stopped", async () => {
    answers[onHub(first.path)] = half(first.content);
    const command = startCommand(["models", "pull", "someone/sample"], env());
    const models = join(dataDir, "models");
    const partial = async (): Promise<number> => {
      const [workshop = ""] = await readdir(models).catch(() => []);
      const parts = await readdir(join(models, workshop)).catch(() => []);
      const part = parts.find((name) => name.endsWith(".part"));
      return part === undefined ? 0 : (await stat(join(models, workshop, part))).size;
    };
    await expect.poll(partial, { timeout: 20_000 }).toBe(fileBytes / 2);
    command.kill("SIGKILL");
    await command.outcome;
    expect(existsSync(target())).toBe(false);

    answers[onHub(first.path)] = whole(first.content);
    expect(await pull("someone/sample")).toMatchObject({ code: 0 });
    expect(requestsFor(first.path).at(-1)?.headers).toMatchObject({ range: `bytes=${fileBytes / 2}-` });
    await expectInstalled();
  }, 60_000);

  test("starts over when the file has changed meanwhile", async () => {
    const other = Buffer.alloc(fileBytes, "x");
    answers[onHub(first.path)] = (response) => {
      response.writeHead(200, { "content-length": fileBytes, etag: '"older"' });
      response.write(other.subarray(0, 1000), () => response.destroy());
      answers[onHub(first.path)] = whole(first.content);
    };
    expect(await pull("someone/sample")).toMatchObject({ code: 0 });
    await expectInstalled();
  });

  test("refuses a file with another content, and keeps nothing of it", async () => {
    answers[onHub(first.path)] = whole(Buffer.alloc(fileBytes, "x"));
    await refused(pull("someone/sample"), /is not the expected file: its SHA-256/);
    answers[onHub(first.path)] = whole(first.content);
    expect(await pull("someone/sample")).toMatchObject({ code: 0 });
    await expectInstalled();
  });

  test("takes declared sizes as limits", async () => {
    answers[onHub(first.path)] = whole(Buffer.concat([first.content, Buffer.alloc(1)]));
    await refused(pull("someone/sample"), /larger than the 400000 bytes/);
    answers[onHub(first.path)] = (response) => {
      response.writeHead(200);
      response.end(Buffer.concat([first.content, Buffer.alloc(1)]));
    };
    await refused(pull("someone/sample"), /larger than the 400000 bytes/);
    answers[onHub(first.path)] = whole(first.content.subarray(1));
    await refused(pull("someone/sample"), /has 399999 bytes instead of 400000/);
  });

  test("follows redirects to the hub's storage, which does not get the token", async () => {
    answers[onHub(first.path)] = (response) => void response.writeHead(302, { location: `${cdn.url}/stored` }).end();
    expect(await pull("someone/sample", { DRS_HUB_TOKEN: token })).toMatchObject({ code: 0 });
    await expectInstalled();
    expect(requestsFor(first.path).map(({ headers }) => headers.authorization)).toEqual([`Bearer ${token}`]);
    expect(cdn.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  test.each([
    ["http://10.0.0.1/model", /10\.0\.0\.1 is not a public address/],
    ["http://93.184.215.14/model", /would be accessed without TLS/],
    ["file:///etc/passwd", /only http and https/],
  ])("does not follow a redirect to %s", async (location, said) => {
    answers[onHub(first.path)] = (response) => void response.writeHead(302, { location }).end();
    await refused(pull("someone/sample"), said);
  });

  test("says what a missing model and one that asks for consent need", async () => {
    answers[onHub("pack.json")] = (response) => void response.writeHead(404).end();
    await refused(pull("someone/sample"), /\(404\)/);
    answers[onHub("pack.json")] = (response) => void response.writeHead(401).end();
    await refused(pull("someone/sample"), /DRS_HUB_TOKEN/);
  });

  test.each(["../outside", "/etc/passwd", "a/../../outside", "pack.json"])(
    "refuses the path %j in a manifest",
    async (path) => {
      const manifest: { files: { path: string }[] } = JSON.parse(pack.manifest);
      const hostile = { ...manifest, files: [...manifest.files, { path, bytes: 1, sha256: "0".repeat(64) }] };
      answers[onHub("pack.json")] = whole(Buffer.from(JSON.stringify(hostile)));
      await refused(pull("someone/sample"), /relative path inside the pack|second pack\.json/);
      expect(existsSync(join(dataDir, "outside"))).toBe(false);
    },
  );

  test("refuses a folder whose files are links", async () => {
    const folder = join(dataDir, "linked");
    await mkdir(folder);
    await writeFile(join(folder, "pack.json"), pack.manifest);
    for (const [path, content] of pack.files) {
      await writeFile(join(dataDir, `behind-${path}`), content);
      await symlink(join(dataDir, `behind-${path}`), join(folder, path));
    }
    await refused(pull(folder), /is a link/);
  });

  test("refuses what it cannot use before it fetches anything large", async () => {
    answers[onHub("pack.json")] = whole(Buffer.from(JSON.stringify({ ...JSON.parse(pack.manifest), format: 99 })));
    await refused(pull("someone/sample"), /format/);
    expect(requestsFor(first.path)).toEqual([]);
    await refused(pull("no-such-pack"), /no model pack named no-such-pack/);
    expect(await pull("what is this")).toMatchObject({ code: 2 });
  });

  test("two at once do not write into each other's files", async () => {
    answers[onHub(first.path)] = half(first.content);
    const command = startCommand(["models", "pull", "someone/sample"], env());
    await expect.poll(() => requestsFor(first.path).length, { timeout: 20_000 }).toBe(1);
    await refused(pull("someone/sample"), new RegExp(`process ${command.pid} is pulling`));
    command.kill("SIGKILL");
    await command.outcome;
  }, 60_000);
});
