import fc from "fast-check";
import { CompactEncrypt, SignJWT, base64url } from "jose";
import { ShareService } from "@drs/client/gen/drs/v1/shares_pb";
import { openMetadataOf } from "../service/metadata.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DatasetId } from "../../server/domain/ids.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import { createShareLinks } from "../../server/domain/shares/links.ts";
import type { SigningKey } from "../../server/domain/workspaces/workspace.ts";
import { bodyOf, listAt, objectAt } from "../contract/answers.ts";
import { restApi } from "../contract/rest-api.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { hasSharedStores } from "../service/shared-stores.ts";
import { startServer, type TestServer } from "../service/start.ts";
import { codeOf, encodeCall, wordsOf } from "./wire/calls.ts";
import { type Connections, openConnections } from "./wire/http.ts";

/** A try to open an id. */
interface Attempt {
  readonly id: string;
  readonly token: string;
}

/** Data made before the tokens: real links, and even the key that signs them. */
interface Loot {
  readonly real: readonly Attempt[];
  readonly signingKey: SigningKey;
}

type Forge = (loot: Loot, random: Random) => Promise<Attempt> | Attempt;

/** Choices that are the same in every run. */
interface Random {
  below(limit: number): number;
  pick<Value>(values: readonly Value[]): Value;
  bytes(length: number): Uint8Array;
}

/** Tokens of each kind. On shared stores fewer are tried, because their validity does not depend on where the rows are. */
const each = hasSharedStores ? 100 : 1_000;
/** Most of a kind that are tried over each of the other protocols. */
const eachOverProtocol = 50;
const seed = 20_260_101;
const day = 86_400;
/** At once in flight. */
const lanes = 24;

const secretOf = ({ secret }: SigningKey): Uint8Array => Buffer.from(secret, "base64url");
const now = (): number => Math.floor(Date.now() / 1000);
const json = (value: object): string => base64url.encode(JSON.stringify(value));

function sign(
  {
    id,
    secret,
    kid,
    exp,
    alg = "HS256",
  }: { id?: string; secret: Uint8Array; kid?: string; exp?: number; alg?: string },
  claims: Record<string, unknown> = {},
): Promise<string> {
  const token = new SignJWT(claims).setProtectedHeader({ alg, ...(kid !== undefined && { kid }) });
  if (id !== undefined) token.setAudience(id);
  if (exp !== undefined) token.setExpirationTime(exp);
  return token.sign(secret);
}

const partsOf = (token: string): [string, string, string] => {
  const [header = "", payload = "", signature = ""] = token.split(".");
  return [header, payload, signature];
};

/** Every kind of token that is none. */
const forges: Readonly<Record<string, Forge>> = {
  nonsense({ real }, { pick, bytes, below }) {
    const text = Buffer.from(bytes(below(300))).toString(pick(["base64url", "latin1", "hex"] as const));
    return { id: pick(real).id, token: pick(["", "."]) + pick([text, `${text}.${text}.${text}`, `${text}..`]) };
  },
  truncated({ real }, { pick, below }) {
    const { id, token } = pick(real);
    const length = below(token.length);
    return { id, token: pick([token.slice(0, length), token.slice(token.length - length)]) };
  },
  "changed in one place"({ real }, { pick, below }) {
    const { id, token } = pick(real);
    const at = below(token.length);
    const others = Array.from("ABCxyz019-_.").filter((letter) => letter !== token[at]);
    return { id, token: token.slice(0, at) + pick(others) + token.slice(at + 1) };
  },
  async expired({ real, signingKey }, { pick, below }) {
    const { id } = pick(real);
    const secret = secretOf(signingKey);
    const kid = signingKey.id;
    return pick([
      async () => ({ id, token: await sign({ id, secret, kid, exp: now() - below(3650 * day) }) }),
      async () => ({ id, token: await sign({ id, secret, kid }) }),
      async () => ({ id, token: await sign({ id, secret, kid }, { exp: String(now() + day) }) }),
      async () => ({ id, token: await sign({ id, secret, kid }, { exp: null }) }),
      async () => ({ id, token: await sign({ id, secret, kid, exp: now() + day }, { nbf: now() + below(day) + 60 }) }),
    ])();
  },
  async "signed with another key"({ real, signingKey }, { pick, bytes }) {
    const { id } = pick(real);
    const secret = pick([bytes(32), bytes(64), Buffer.from(signingKey.id), Buffer.from(id), Buffer.alloc(32)]);
    return { id, token: await sign({ id, secret, kid: signingKey.id, exp: now() + day }) };
  },
  async "of another algorithm"({ real, signingKey }, { pick }) {
    const { id } = pick(real);
    const secret = secretOf(signingKey);
    const claims = { aud: id, exp: now() + day };
    const none = pick(["none", "None", "NONE", "", "HS256 ", "hs256", "RS256", "ES256", "EdDSA", "dir"]);
    const header = json({ alg: none, kid: signingKey.id });
    return pick([
      async () => ({ id, token: `${header}.${json(claims)}.` }),
      async () => ({ id, token: `${header}.${json(claims)}.${partsOf(pick(real).token)[2]}` }),
      async () => {
        const alg = pick(["HS384", "HS512"]);
        const key = Buffer.concat([secret, secret]);
        return { id, token: await sign({ id, secret: key, kid: signingKey.id, exp: now() + day, alg }) };
      },
      async () => {
        const encrypted = new CompactEncrypt(Buffer.from(JSON.stringify(claims)));
        const sealed = encrypted.setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: signingKey.id });
        return { id, token: await sealed.encrypt(secret) };
      },
    ])();
  },
  async "of a key that there is not"({ real, signingKey }, { pick, bytes }) {
    const { id } = pick(real);
    const kid = pick([
      Buffer.from(bytes(6)).toString("base64url"),
      "",
      "__proto__",
      "constructor",
      "0",
      "../../../dev/null",
      `${signingKey.id}\0`,
      `' or '1'='1`,
      undefined,
    ]);
    const secret = pick([secretOf(signingKey), Buffer.alloc(32), bytes(32)]);
    return { id, token: await sign({ id, secret, exp: now() + day, ...(kid !== undefined && { kid }) }) };
  },
  async "for another audience"({ real, signingKey }, { pick, below }) {
    const { id } = pick(real);
    const secret = secretOf(signingKey);
    const kid = signingKey.id;
    const near = [`${id} `, id.toUpperCase(), id.slice(0, -1), `${id}0`, `/v1/share/${id}`, "*", ""];
    const strange = [[], [`${id}x`], { [id]: true }, true, null, below(9)];
    return pick([
      async () => ({ id, token: await sign({ id: pick(near), secret, kid, exp: now() + day }) }),
      async () => ({ id, token: await sign({ secret, kid, exp: now() + day }) }),
      async () => ({ id, token: await sign({ secret, kid, exp: now() + day }, { aud: pick(strange), sub: id }) }),
    ])();
  },
  "replayed on another id"({ real }, { pick }) {
    const used = pick(real);
    return { id: pick(real.filter(({ id }) => id !== used.id)).id, token: used.token };
  },
  "with edited claims"({ real, signingKey }, { pick, below }) {
    const { id, token } = pick(real);
    const [header, payload, signature] = partsOf(token);
    const [otherHeader, otherPayload, otherSignature] = partsOf(pick(real.filter((other) => other.id !== id)).token);
    const later = json({ aud: id, exp: now() + day + below(day) });
    return {
      id,
      token: pick([
        `${header}.${later}.${signature}`,
        `${otherHeader}.${otherPayload}.${signature}`,
        `${header}.${later}.${otherSignature}`,
        `${json({ alg: "HS256", kid: signingKey.id, crit: ["exp"], b64: false })}.${later}.${signature}`,
        `${json({ alg: "HS256", kid: signingKey.id, jwk: { kty: "oct", k: "" } })}.${later}.${signature}`,
        `${token}.${signature}`,
        `${token}${pick(["=", " ", "\n", "%", "\0", ".", "~"])}`,
        `${pick([" ", "\t", "=", "."])}${token}`,
        `${header}.${payload}.${signature.toLowerCase()}`,
        `${header}.${later}.${signature}.${signature}.${signature}`,
      ]),
    };
  },
};

let server: TestServer;
let loot: Loot;
let connections: Connections;

beforeAll(async () => {
  server = await startServer();
  connections = openConnections(server.url, { roams: true });
  const api = restApi(server.url, server.credentials.apiKey);
  const real: Attempt[] = [];
  const take = (resource: Parameters<typeof objectAt>[0]): void => {
    const token = String(objectAt(resource, "share")["token"]);
    real.push({ id: String(resource["id"]), token });
  };
  for (const words of ["first", "second"]) {
    const file = makePdf({ pages: [{ text: words }, { text: `${words} again` }] });
    const job = objectAt(bodyOf(await api.upload("vectorize", { file, fileName: `${words}.pdf` })), "job");
    const watched = await api.watch(String(job["id"]));
    expect(watched).toMatchObject({ ok: true });
    const id = String(job["datasetId"]);
    take(objectAt(bodyOf(await api.call("getDataset", { id, expiresInSeconds: 7 * day })), "dataset"));
    const items = bodyOf(await api.call("listItems", { datasetId: id, limit: 100, expiresInSeconds: 7 * day }));
    for (const item of listAt(items, "data")) take(item);
  }
  const metadata = await openMetadataOf(server.dataDir);
  const [signingKey] = await metadata.signingKeys.list();
  await metadata.close();
  if (signingKey === undefined) throw new Error("nothing signs the links");
  loot = { real, signingKey };
});
afterAll(async () => {
  connections.close();
  await server.remove();
});

test("the links are real, and links signed with the key work", async () => {
  expect(loot.real.length).toBeGreaterThanOrEqual(10);
  const { signingKey, real } = loot;
  const signed = await Promise.all(
    real.map(async ({ id }) => {
      const token = await sign({ id, secret: secretOf(signingKey), kid: signingKey.id, exp: now() + day });
      return { id, token };
    }),
  );
  for (const attempt of [...real, ...signed])
    expect([attempt.id, (await open(attempt)).status]).toEqual([attempt.id, 200]);
});

test(`of ${10 * each} forged tokens none opens anything, and all get one and the same answer`, async () => {
  const families = Object.entries(forges);
  expect(families).toHaveLength(10);
  const accepted: string[] = [];
  const refusals = new Set<string>();
  for (const [name, attempts] of await Promise.all(families.map((family) => forgeAll(family, each)))) {
    await inLanes(attempts, async (attempt) => {
      const { status, headers, body } = await open(attempt);
      if (status < 400) accepted.push(`${name}: ${attempt.id} ${attempt.token}`);
      const { date: _, "x-request-id": __, ...lasting } = headers;
      refusals.add(JSON.stringify([status, lasting, body.toString("latin1").slice(0, 500)]));
    });
  }
  expect(accepted).toEqual([]);
  expect([...refusals]).toEqual([expect.stringMatching(/^\[403,.*this link is not valid or has expired/)]);
}, 180_000);

test.each(["Connect", "gRPC", "gRPC-Web"] as const)("nor over %s", { timeout: 60_000 }, async (protocol) => {
  const method = ShareService.method.readShare;
  const faces = new Set<string>();
  const forged = Object.entries(forges).map((family) => forgeAll(family, 4 * eachOverProtocol));
  for (const [name, attempts] of await Promise.all(forged)) {
    // Empty and overlong tokens break the contract's rules and are told so.
    const fitting = attempts.filter(({ token }) => token !== "" && token.length <= 2048 && token.isWellFormed());
    await inLanes(fitting.slice(0, eachOverProtocol), async ({ id, token }) => {
      const answer = await connections.send(
        encodeCall(protocol, { method, messages: [{ id, token }], key: undefined }),
      );
      const code = codeOf(protocol, answer);
      faces.add(code === "OK" ? `${name} opened ${id}: ${token}` : `${code} ${wordsOf(answer)}`);
    });
  }
  expect([...faces]).toEqual([expect.stringMatching(/^PERMISSION_DENIED .*this link is not valid/s)]);
});

test("after all that the links work as before", async () => {
  for (const attempt of loot.real) expect([attempt.id, (await open(attempt)).status]).toEqual([attempt.id, 200]);
});

describe("a signing key that has been superseded", () => {
  const api = () => restApi(server.url, server.credentials.apiKey);
  const rotate = async (revoke: boolean): Promise<void> =>
    void objectAt(bodyOf(await api().call("rotateLinks", { revoke })), "rotation");

  /** The work of another process with the same stores. */
  async function otherProcess<Result>(act: (metadata: Metadata) => Promise<Result>): Promise<Result> {
    const metadata = await openMetadataOf(server.dataDir);
    try {
      return await act(metadata);
    } finally {
      await metadata.close();
    }
  }

  const statusOf = async (attempt: Attempt): Promise<number> => (await open(attempt)).status;

  async function tokenOf({ id: kid, secret }: SigningKey, exp: number): Promise<Attempt> {
    const id = loot.real[0]?.id ?? "";
    return { id, token: await sign({ id, secret: Buffer.from(secret, "base64url"), kid, exp }) };
  }

  test("signs no links beyond the longest that there can be", async () => {
    const { signingKey } = loot;
    expect(await statusOf(await tokenOf(signingKey, now() + 7 * day))).toBe(200);
    for (const exp of [now() + 7 * day + 120, Math.floor(Date.UTC(2099, 0, 1) / 1_000)])
      expect(await statusOf(await tokenOf(signingKey, exp))).toBe(403);
  });

  test("from years ago opens nothing", async () => {
    const createdAt = Date.UTC(2020, 0, 1);
    const old = { id: "old", secret: Buffer.alloc(32, 7).toString("base64url"), createdAt, supersededAt: null };
    await otherProcess(async ({ signingKeys }) => {
      const current = await signingKeys.current();
      expect(await signingKeys.rotate(old, { replaces: current?.id, event: undefined })).toBe(true);
    });
    expect(await statusOf(await tokenOf(old, now() + 60))).toBe(403);
    await rotate(false);
    for (const exp of [now() + 60, now() + 6 * day, Math.floor(Date.UTC(2099, 0, 1) / 1_000)])
      expect(await statusOf(await tokenOf(old, exp))).toBe(403);
  });

  test("lets its links live out their time, unless all are revoked: then they end in every process at once", async () => {
    const [link] = loot.real;
    if (link === undefined) throw new Error("there is no link");
    const dataset = link.id.startsWith("ds_") ? link.id : "";
    const fresh = async (): Promise<Attempt> => {
      const answer = bodyOf(await api().call("getDataset", { id: dataset }));
      return { id: dataset, token: String(objectAt(objectAt(answer, "dataset"), "share")["token"]) };
    };
    const before = await fresh();
    await rotate(false);
    expect(await Promise.all([before, await fresh()].map(statusOf))).toEqual([200, 200]);
    await otherProcess(async ({ signingKeys }) => {
      const links = createShareLinks({ signingKeys, clock: Date.now });
      const [ofOther] = await links.create([link.id as DatasetId], 600);
      await rotate(true);
      await expect(links.verify(before.id, before.token)).rejects.toThrow("not valid");
      expect(await statusOf({ id: link.id, token: ofOther?.token ?? "" })).toBe(403);
      const [afterwards] = await links.create([link.id as DatasetId], 600);
      expect(await statusOf({ id: link.id, token: afterwards?.token ?? "" })).toBe(200);
    });
    expect(await Promise.all([...loot.real, before].map(statusOf))).toEqual([...loot.real, before].map(() => 403));
    expect(await statusOf(await fresh())).toBe(200);
    expect(await statusOf(await tokenOf(loot.signingKey, now() + 60))).toBe(403);
  });
});

function open({ id, token }: Attempt) {
  const path = `/v1/share/${id}?token=${encodeURIComponent(token)}`;
  return connections.send({ version: 1, verb: "GET", path, headers: {}, body: Buffer.alloc(0) });
}

async function forgeAll([name, forge]: [string, Forge], count: number): Promise<[string, Attempt[]]> {
  const random = randomOf(seed + name.length);
  const attempts: Attempt[] = [];
  while (attempts.length < count) attempts.push(await forge(loot, random));
  return [name, attempts];
}

function randomOf(seed: number): Random {
  const numbers = fc.sample(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { numRuns: 50_000, seed });
  let at = 0;
  const next = (): number => numbers[at++ % numbers.length] ?? 0;
  return {
    below: (limit) => next() % limit,
    pick(values) {
      const value = values[next() % values.length];
      if (value === undefined && values.length === 0) throw new Error("there is nothing to pick from");
      return value as (typeof values)[number];
    },
    bytes: (length) => Uint8Array.from({ length }, () => next() & 0xff),
  };
}

async function inLanes<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}
