import { SignJWT } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { newDatasetId } from "../ids.ts";
import type { SigningKey } from "../workspaces/workspace.ts";
import { createShareLinks, type ShareLinks } from "./links.ts";

describe("share links", () => {
  const id = newDatasetId();
  let keys: SigningKey[];
  let now: number;
  let links: ShareLinks;

  const open = (): ShareLinks =>
    createShareLinks({
      signingKeys: {
        list: async () => keys.toSorted((a, b) => b.createdAt - a.createdAt),
        create: async (key) => void keys.push(key),
      },
      baseUrl: () => "http://127.0.0.1:8420",
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
    expect(share.url).toBe(`http://127.0.0.1:8420/v1/share/${id}?token=${share.token}`);
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

  test("go on working after the key has been rotated, in this process and in another", async () => {
    const { token } = await create();
    now += 1_000;
    await links.rotate();
    const later = await create();
    await expect(links.verify(id, token)).resolves.toBeUndefined();
    await expect(open().verify(id, token)).resolves.toBeUndefined();
    await expect(open().verify(id, later.token)).resolves.toBeUndefined();
    expect(keys).toHaveLength(2);
  });

  test("a key signs for 30 days at most", async () => {
    await create();
    now += 31 * 86_400_000;
    await create();
    expect(keys).toHaveLength(2);
  });

  test("refuse what was not signed here, all with one sentence", async () => {
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

  test("are recognised among other addresses", () => {
    expect(links.parse(`http://127.0.0.1:8420/v1/share/${id}?token=t`)).toEqual({ id, token: "t" });
    expect(links.parse(`http://127.0.0.1:8421/v1/share/${id}?token=t`)).toBeUndefined();
    expect(links.parse(`http://127.0.0.1:8420.evil.example/v1/share/${id}?token=t`)).toBeUndefined();
  });
});
