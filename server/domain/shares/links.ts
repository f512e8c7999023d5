import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { decodeProtectedHeader } from "jose/decode/protected_header";
import { jwtVerify } from "jose/jwt/verify";
import type { Clock } from "../clock.ts";
import { type Dataset, publicId } from "../datasets/dataset.ts";
import { forbidden } from "../errors.ts";
import { type DatasetId, type ItemId, parseDatasetId } from "../ids.ts";
import type { SigningKeyStore } from "../ports/workspaces.ts";
import type { SigningKey } from "../workspaces/workspace.ts";
import { createSigningKeys, type SigningKeys } from "./signing-keys.ts";

/** A self-expiring link to the bytes of a dataset or an item. */
export interface Share {
  /** Of the link at this server; how the server is reached is not the domain's to know. */
  readonly path: string;
  readonly token: string;
  /** Milliseconds since the epoch, UTC. */
  readonly expiresAt: number;
}

/** What a link opens. That of a document ends with the version that it was made for. */
export type LinkTarget = DatasetId | ItemId | Pick<Dataset, "id" | "versionOf">;

export interface ShareLinks {
  /** Links of one answer share one moment of expiry. */
  create(targets: readonly LinkTarget[], expiresInSeconds: number): Promise<readonly Share[]>;
  /**
   * Throws `forbidden`, always with the same sentence, unless the token opens this very id now. Resolves with the id of the
   * version of the document that it opens, where that is not the id of the link.
   */
  verify(id: string, token: string): Promise<DatasetId | undefined>;
  /**
   * The id and token in a link that this server gave out, under whatever name it was reached; undefined for every other
   * address.
   */
  parse(url: string): Promise<{ readonly id: string; readonly token: string } | undefined>;
  readonly rotate: SigningKeys["rotate"];
  readonly maintain: SigningKeys["maintain"];
}

/** The server may be reached under a path of a proxy. */
const linkPath = /\/v1\/share\/([^/]+)$/;

export const defaultShareSeconds = 600;
/**
 * As tokens are written here, 43 characters for the 32 bytes of the signature, of which the last holds four bits. Readers
 * of base64url also take padding, white space and other spare bits: then one token would have many spellings.
 */
const spelling = /^[\w-]+\.[\w-]+\.[\w-]{42}[AEIMQUYcgkosw048]$/;

interface Options {
  readonly signingKeys: SigningKeyStore;
  readonly clock: Clock;
}

/**
 * Share tokens are JWTs (HS256; RFC 7519): `kid` names the key, `aud` is the id, `sub` the version of the document where it has
 * another id, `exp` the moment of expiry.
 */
export function createShareLinks({ signingKeys, clock }: Options): ShareLinks {
  const keys = createSigningKeys(signingKeys, clock);

  return {
    rotate: keys.rotate,
    maintain: keys.maintain,
    async parse(text) {
      const url = URL.parse(text);
      const id = linkPath.exec(url?.pathname ?? "")?.[1];
      const token = url?.searchParams.get("token") ?? "";
      const kid = keyIdOf(token);
      // The name of the server proves nothing, the key does: links of other servers are signed with theirs.
      if (id === undefined || kid === undefined || (await keys.find(kid)) === undefined) return undefined;
      return { id, token };
    },
    async create(targets, expiresInSeconds) {
      const { header, secret } = signerOf(await keys.current());
      const expiresAt = (Math.floor(clock() / 1000) + expiresInSeconds) * 1000;
      return targets.map((target) => {
        const id = typeof target === "string" ? target : publicId(target);
        const version = typeof target === "string" || target.versionOf === null ? undefined : target.id;
        const token = signed({ header, secret, id, version, expiresAt });
        return { path: `/v1/share/${id}?token=${token}`, token, expiresAt };
      });
    },
    async verify(id, token) {
      const kid = keyIdOf(token);
      // Outside of what turns failures into a refusal: a store that does not answer makes no link invalid.
      const found = kid === undefined ? undefined : await keys.find(kid);
      if (found === undefined) throw refused();
      const secret = Buffer.from(found.key.secret, "base64url");
      const { payload } = await jwtVerify(token, secret, {
        algorithms: ["HS256"],
        audience: id,
        currentDate: new Date(clock()),
        requiredClaims: ["exp"],
      }).catch((cause: unknown) => {
        throw refused(cause);
      });
      if ((payload.exp ?? Infinity) * 1_000 > found.latestExpiry) throw refused();
      return payload.sub === undefined ? undefined : parseDatasetId(payload.sub);
    },
  };
}

/** What signs with a key. */
interface Signer {
  readonly header: string;
  readonly secret: KeyObject;
}

/** By the key as the store has read it. */
const signers = new WeakMap<SigningKey, Signer>();

function signerOf(key: SigningKey): Signer {
  const known = signers.get(key);
  if (known !== undefined) return known;
  const header = encoded({ alg: "HS256", kid: key.id });
  const signer = { header, secret: createSecretKey(key.secret, "base64url") };
  signers.set(key, signer);
  return signer;
}

interface Signed extends Signer {
  readonly id: string;
  readonly version: DatasetId | undefined;
  readonly expiresAt: number;
}

/** At once: an answer has a hundred links, and signing through the pool of threads takes ten times as long. */
function signed({ header, secret, id, version, expiresAt }: Signed): string {
  const content = `${header}.${encoded({ aud: id, sub: version, exp: expiresAt / 1000 })}`;
  return `${content}.${createHmac("sha256", secret).update(content).digest("base64url")}`;
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

const refused = (cause?: unknown): Error =>
  forbidden("this link is not valid or has expired; ask for a new one", { cause, reason: "LINK_INVALID" });

/** What the token says which key has signed it; undefined if it is none. */
function keyIdOf(token: string): string | undefined {
  if (!spelling.test(token)) return undefined;
  try {
    const { kid } = decodeProtectedHeader(token);
    return typeof kid === "string" ? kid : undefined;
  } catch {
    return undefined;
  }
}
