import { SignJWT } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { actOf } from "../audit/event.ts";
import { newDatasetId, newKeyId, newOrganisationId } from "../ids.ts";
import type { SigningKey } from "../workspaces/workspace.ts";
import { createShareLinks, type ShareLinks } from "./links.ts";
import { maxShareSeconds } from "./signing-keys.ts";

describe("share links", () => {
  const id = newDatasetId();
  let keys: SigningKey[];
  let now: number;
  let links: ShareLinks;

  const currentKey = (): SigningKey | undefined => keys.find(({ supersededAt }) => supersededAt === null);
  const rotateTo = (successor: SigningKey): void => {
    keys = keys.map((key) => ({ ...key, supersededAt: key.supersededAt ?? successor.createdAt }));
    keys.push(successor);
  };

  const open = (): ShareLinks =>
    createShareLinks({
      signingKeys: {
        list: async () => keys,
        get: async (id) => keys.find((key) => key.id === id),
        current: async () => currentKey(),
        rotate: async (successor, { replaces }) => {
          if (currentKey()?.id !== replaces) return false;
          rotateTo(successor);
          return true;
        },
        replaceAll: async (successor) => void (keys = [successor]),
        prune: async ({ supersededBefore, createdBefore }) => {
          const before = keys.length;
          keys = keys.filter(
            ({ supersededAt, createdAt }) =>
              supersededAt === null || (supersededAt >= supersededBefore && createdAt >= createdBefore),
          );
          return before - keys.length;
        },
      },
      clock: () => now,
    });

  beforeEach(() => {
    keys = [];
    now = Date.UTC(2026, 0, 1);
    links = open();
  });

  async function create(seconds = 600) {
    const [share] = await links.create([id], seconds);
    if (share === undefined) throw new Error("no share was made");
    return share;
  }

  test("open their id until they expire", async () => {
    const share = await create(60);
    expect(share.path).toBe(`/v1/share/${id}?token=${share.token}`);
    expect(share.expiresAt).toBe(now + 60_000);
    now += 59_000;
    await expect(links.verify(id, share.token)).resolves.toBeUndefined();
    now += 2_000;
    await expect(links.verify(id, share.token)).rejects.toThrow(/not valid or has expired/);
  });

  test("open no other id", async () => {
    const { token } = await create();
    await expect(links.verify(newDatasetId(), token)).rejects.toThrow(/not valid/);
  });

  const event = (key: SigningKey) =>
    actOf(
      { organisationId: newOrganisationId(), actor: { kind: "key", keyId: newKeyId() } },
      { action: "link.rotate", target: key.id },
      now,
    );
  const rotate = (revoke = false) => links.rotate({ revoke, event });

  /** A token as an attacker with the key would make it. */
  function forge({ id: kid, secret }: SigningKey, exp: number): Promise<string> {
    return new SignJWT()
      .setProtectedHeader({ alg: "HS256", kid })
      .setAudience(id)
      .setExpirationTime(exp / 1_000)
      .sign(Buffer.from(secret, "base64url"));
  }

  const newKeyFrom = (createdAt: number, name = String(createdAt)): SigningKey => ({
    id: name,
    secret: Buffer.alloc(32, name).toString("base64url"),
    createdAt,
    supersededAt: null,
  });

  test("go on working after the key has been rotated, in this process and in another", async () => {
    const { token } = await create();
    now += 1_000;
    await rotate();
    const later = await create();
    await expect(links.verify(id, token)).resolves.toBeUndefined();
    await expect(open().verify(id, token)).resolves.toBeUndefined();
    await expect(open().verify(id, later.token)).resolves.toBeUndefined();
    expect(keys).toHaveLength(2);
  });

  test("all end with a revocation, in every process at once; new ones work", async () => {
    const other = open();
    const [before] = await other.create([id], 600);
    if (before === undefined) throw new Error("no share was made");
    await other.verify(id, before.token);
    await rotate(true);
    for (const process of [links, other]) await expect(process.verify(id, before.token)).rejects.toThrow(/not valid/);
    const [after] = await other.create([id], 600);
    await expect(links.verify(id, after?.token ?? "")).resolves.toBeUndefined();
  });

  test("the longest is valid to its end, although its key is superseded a moment later and pruned in time", async () => {
    const { token } = await create(maxShareSeconds);
    now += 1;
    await rotate();
    now += maxShareSeconds * 1_000 - 2_000;
    await links.maintain();
    await expect(links.verify(id, token)).resolves.toBeUndefined();
    now += 62_001;
    await links.maintain();
    expect(keys).toHaveLength(1);
  });

  test("none is valid longer than the maximum, not even one that a stolen key signed", async () => {
    await create();
    const [key] = keys;
    if (key === undefined) throw new Error("nothing signs");
    const honest = now + maxShareSeconds * 1_000;
    await expect(links.verify(id, await forge(key, honest))).resolves.toBeUndefined();
    for (const exp of [honest + 61_000, Date.UTC(2099, 0, 1), Number.MAX_SAFE_INTEGER])
      await expect(links.verify(id, await forge(key, exp))).rejects.toThrow(/not valid/);
  });

  test("a superseded key verifies nothing beyond what it can have signed", async () => {
    const old = newKeyFrom(Date.UTC(2020, 0, 1));
    keys = [{ ...old, supersededAt: Date.UTC(2020, 0, 31) }, newKeyFrom(now - 1)];
    for (const exp of [now + 1_000, now + 600_000, Date.UTC(2099, 0, 1)])
      await expect(links.verify(id, await forge(old, exp))).rejects.toThrow(/not valid/);
    const recent = newKeyFrom(now - 10_000, "recent");
    keys.push({ ...recent, supersededAt: now - 3_600_000 });
    await expect(links.verify(id, await forge(recent, now + 600_000))).resolves.toBeUndefined();
    const beyond = now - 3_600_000 + maxShareSeconds * 1_000 + 61_000;
    await expect(links.verify(id, await forge(recent, beyond))).rejects.toThrow(/not valid/);
  });

  test("the same holds for an old key that nothing has superseded", async () => {
    const old = newKeyFrom(Date.UTC(2020, 0, 1));
    keys = [old];
    await expect(links.verify(id, await forge(old, now + 600_000))).rejects.toThrow(/not valid/);
  });

  test("a key signs for 30 days at most", async () => {
    await create();
    now += 31 * 86_400_000;
    await create();
    expect(keys).toHaveLength(2);
  });

  test("an old key is replaced even if no link is made, and old keys are removed in the end", async () => {
    await create();
    now += 31 * 86_400_000;
    await links.maintain();
    expect(keys).toMatchObject([{ supersededAt: now }, { supersededAt: null, createdAt: now }]);
    now += 8 * 86_400_000;
    await links.maintain();
    expect(keys).toMatchObject([{ supersededAt: null }]);
  });

  test("a clock that goes back keeps no process from seeing another's key", async () => {
    await create();
    const other = open();
    now -= 10 * 3_600_000;
    await rotate();
    const { token } = await create();
    await expect(other.verify(id, token)).resolves.toBeUndefined();
    await other.create([id], 60);
    expect(keys).toHaveLength(2);
  });

  test("a key made while the clock was years ahead signs no longer than until it is put right", async () => {
    const ahead = newKeyFrom(Date.UTC(2099, 0, 1));
    keys = [ahead];
    await create();
    expect(currentKey()?.createdAt).toBe(now);
  });

  test("a store that does not answer makes no link invalid", async () => {
    const { token } = await create();
    const failing = createShareLinks({
      signingKeys: {
        list: () => Promise.reject(new Error("disk")),
        get: () => Promise.reject(new Error("disk")),
        current: () => Promise.reject(new Error("disk")),
        rotate: () => Promise.reject(new Error("disk")),
        replaceAll: () => Promise.reject(new Error("disk")),
        prune: () => Promise.reject(new Error("disk")),
      },
      clock: () => now,
    });
    await expect(failing.verify(id, token)).rejects.toThrow("disk");
  });

  test("processes that find the key too old at the same moment make one", async () => {
    await create();
    now += 31 * 86_400_000;
    await Promise.all([links, open(), open()].map((process) => process.create([id], 60)));
    expect(keys).toHaveLength(2);
  });

  test("refuse anything that was not signed here, always with the same sentence", async () => {
    const { token } = await create();
    const [head = "", body = "", signature = ""] = token.split(".");
    const none = Buffer.from(JSON.stringify({ alg: "none", kid: keys[0]?.id })).toString("base64url");
    const foreign = await new SignJWT()
      .setProtectedHeader({ alg: "HS256", kid: keys[0]?.id ?? "" })
      .setAudience(id)
      .setExpirationTime("1h")
      .sign(new Uint8Array(32));
    const unending = await new SignJWT()
      .setProtectedHeader({ alg: "HS256", kid: keys[0]?.id ?? "" })
      .setAudience(id)
      .sign(Buffer.from(keys[0]?.secret ?? "", "base64url"));
    const forged = [
      "",
      "x",
      "a.b.c",
      `${head}.${body}.`,
      `${head}.${body}.${signature.slice(1)}`,
      `${none}.${body}.`,
      foreign,
      unending,
    ];
    const sentences = await Promise.all(
      forged.map((text) => links.verify(id, text).catch((error: Error) => error.message)),
    );
    expect(new Set(sentences)).toEqual(new Set(["this link is not valid or has expired; ask for a new one"]));
  });

  test("are recognised among other URLs by their key, whatever the host name", async () => {
    const { path, token } = await create();
    for (const base of ["http://127.0.0.1:8420", "https://drs.example", "https://example.com/drs"]) {
      expect(await links.parse(`${base}${path}`)).toEqual({ id, token });
    }
    const foreign = await forge(newKeyFrom(now, "foreign"), now + 600_000);
    for (const other of [
      `http://127.0.0.1:8420/v1/share/${id}?token=t`,
      `http://127.0.0.1:8420/v1/share/${id}?token=${foreign}`,
      `http://127.0.0.1:8420/v1/shares/${id}?token=${token}`,
      `http://127.0.0.1:8420/v1/share/${id}`,
      path,
    ]) {
      expect(await links.parse(other)).toBeUndefined();
    }
  });
});
