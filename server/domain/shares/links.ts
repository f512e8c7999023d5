import { randomBytes } from "node:crypto";
import { jwtVerify, SignJWT } from "jose";
import type { Clock } from "../clock.ts";
import { forbidden } from "../errors.ts";
import type { DatasetId, ItemId } from "../ids.ts";
import type { SigningKeyStore } from "../ports/workspaces.ts";

/** A self-expiring link to the bytes of a dataset or an item. */
export interface Share {
  readonly url: string;
  readonly token: string;
  /** Milliseconds since the epoch, UTC. */
  readonly expiresAt: number;
}

export interface ShareLinks {
  /** Links of one answer share one moment of expiry. */
  create(ids: readonly (DatasetId | ItemId)[], expiresInSeconds: number): Promise<readonly Share[]>;
  /** Throws `forbidden`, always with the same sentence, unless the token opens this very id now. */
  verify(id: string, token: string): Promise<void>;
  /** The id and token in a link that this server gave out; undefined for every other address. */
  parse(url: string): { readonly id: string; readonly token: string } | undefined;
  /** From now on a new key signs; links signed with older ones go on working until they expire. */
  rotate(): Promise<void>;
}

export const defaultShareSeconds = 600;
/** Seven days, the longest lifetime of a link: so long a superseded key must go on verifying. */
export const maxShareSeconds = 604_800;

/** A key signs for 30 days at most: a leaked one is worth little for long. */
const keyLifetimeMs = 30 * 86_400_000;
/** How long a process may go on not knowing a key that another one has made. */
const keyRefreshMs = 60_000;

/**
 * As tokens are written here, 43 characters for the 32 bytes of the signature, of which the last holds four bits. Readers
 * of base64url also take padding, white space and other spare bits: then one token would have many spellings.
 */
const spelling = /^[\w-]+\.[\w-]+\.[\w-]{42}[AEIMQUYcgkosw048]$/;

interface Key {
  readonly id: string;
  readonly secret: Uint8Array;
  readonly createdAt: number;
}

interface Options {
  readonly signingKeys: SigningKeyStore;
  /** Without a slash at the end; asked at each use because the port may be known only after listening. */
  readonly baseUrl: () => string;
  readonly clock: Clock;
}

/** Share tokens are JWTs (HS256; RFC 7519): `kid` names the key, `aud` is the id, `exp` the moment of expiry. */
export function createShareLinks({ signingKeys, baseUrl, clock }: Options): ShareLinks {
  let keys: readonly Key[] = [];
  let loadedAt = 0;

  async function load(): Promise<void> {
    keys = (await signingKeys.list()).map((key) => ({ ...key, secret: Buffer.from(key.secret, "base64url") }));
    loadedAt = clock();
  }

  async function rotate(): Promise<void> {
    await signingKeys.create({
      id: randomBytes(6).toString("base64url"),
      secret: randomBytes(32).toString("base64url"),
      createdAt: clock(),
    });
    await load();
  }

  async function newest(): Promise<Key> {
    if (clock() - loadedAt > keyRefreshMs) await load();
    const key = keys[0];
    if (key !== undefined && clock() - key.createdAt < keyLifetimeMs) return key;
    await rotate();
    return newest();
  }

  async function find(kid: string | undefined): Promise<Key | undefined> {
    const known = keys.find((key) => key.id === kid);
    if (known !== undefined) return known;
    // A key that another process has just made; looked up at most once a second, whatever is thrown at us.
    if (clock() - loadedAt > 1_000) await load();
    return keys.find((key) => key.id === kid);
  }

  return {
    rotate,
    parse(url) {
      const path = `${baseUrl()}/v1/share/`;
      if (!url.startsWith(path)) return undefined;
      const { pathname, searchParams } = new URL(url);
      return { id: pathname.slice(pathname.lastIndexOf("/") + 1), token: searchParams.get("token") ?? "" };
    },
    async create(ids, expiresInSeconds) {
      const key = await newest();
      const expiresAt = (Math.floor(clock() / 1000) + expiresInSeconds) * 1000;
      return Promise.all(
        ids.map(async (id) => {
          const token = await new SignJWT()
            .setProtectedHeader({ alg: "HS256", kid: key.id })
            .setAudience(id)
            .setExpirationTime(expiresAt / 1000)
            .sign(key.secret);
          return { url: `${baseUrl()}/v1/share/${id}?token=${token}`, token, expiresAt };
        }),
      );
    },
    async verify(id, token) {
      try {
        if (!spelling.test(token)) throw new Error("not written as tokens are");
        await jwtVerify(
          token,
          async ({ kid }) => {
            const key = await find(kid);
            if (key === undefined) throw new Error("unknown key");
            return key.secret;
          },
          { algorithms: ["HS256"], audience: id, currentDate: new Date(clock()), requiredClaims: ["exp"] },
        );
      } catch (cause) {
        throw forbidden("this link is not valid or has expired; ask for a new one", { cause });
      }
    },
  };
}
