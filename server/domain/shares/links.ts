import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { decodeProtectedHeader } from "jose/decode/protected_header";
import { jwtVerify } from "jose/jwt/verify";
import type { Clock } from "../clock.ts";
import { type Dataset, publicId } from "../datasets/dataset.ts";
import { forbidden } from "../errors.ts";
import { type DatasetId, type ItemId, parseDatasetId } from "../ids.ts";
import type { SigningKeyStore } from "../ports/organisations.ts";
import type { SigningKey } from "../workspaces/workspace.ts";
import { createSigningKeys, type SigningKeys } from "./signing-keys.ts";

/** A self-expiring link to the bytes of a dataset or an item. */
export interface Share {
  /** Path of the link on this server; the domain does not know under which host the server is reached. */
  readonly path: string;
  readonly token: string;
  /** Milliseconds since the epoch, UTC. */
  readonly expiresAt: number;
}

/** The target of a link. A link to a document is valid only for the version that it was created for. */
export type LinkTarget = DatasetId | ItemId | Pick<Dataset, "id" | "versionOf">;

export interface ShareLinks {
  /** All links of one answer expire at the same time. */
  create(targets: readonly LinkTarget[], expiresInSeconds: number): Promise<readonly Share[]>;
  /**
   * Throws `forbidden`, always with the same sentence, unless the token is valid now for this very id. Resolves
   * with the id of the document's version, if that is not the id of the link.
   */
  verify(id: string, token: string): Promise<DatasetId | undefined>;
  /**
   * Returns the id and token in a link that this server has issued, whatever host name it has; undefined for every
   * other URL.
   */
  parse(url: string): Promise<{ readonly id: string; readonly token: string } | undefined>;
  readonly rotate: SigningKeys["rotate"];
  readonly maintain: SigningKeys["maintain"];
}

/** A proxy may serve the server under a path. */
const linkPath = /\/v1\/share\/([^/]+)$/;

export const defaultShareSeconds = 600;
/**
 * The form of tokens that this file writes: 43 characters for the 32 bytes of the signature, with four bits in the
 * last one. Parsers of base64url also accept padding, white space and other spare bits, which would give one token
 * many spellings.
 */
const spelling = /^[\w-]+\.[\w-]+\.[\w-]{42}[AEIMQUYcgkosw048]$/;

interface Options {
  readonly signingKeys: SigningKeyStore;
  readonly clock: Clock;
}

/**
 * Creates and verifies share tokens: JWTs (HS256; RFC 7519) whose `kid` names the key, `aud` is the id, `sub` the
 * version of the document if it has another id, and `exp` the time of expiry.
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
      // The host name proves nothing, but the key does: other servers sign their links with other keys.
      if (id === undefined || kid === undefined || (await keys.find(kid)) === undefined) return undefined;
      return { id, token };
    },
    async create(targets, expiresInSeconds) {
      const { header, secret } = signerOf(await keys.current());
      const expiresAt = (Math.floor(clock() / 1000) + expiresInSeconds) * 1000;
      return targets.map((target) => {
        const id = typeof target === "string" ? target : publicId(target);
        const version = typeof target === "string" || target.versionOf === null ? undefined : target.id;
        const token = signedToken({ header, secret, id, version, expiresAt });
        return { path: `/v1/share/${id}?token=${token}`, token, expiresAt };
      });
    },
    async verify(id, token) {
      const kid = keyIdOf(token);
      // Called outside the code that turns failures into a refusal: a store that does not answer makes no link
      // invalid.
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

/** A signing key, prepared for use. */
interface Signer {
  readonly header: string;
  readonly secret: KeyObject;
}

/** Cached by the key object that the store has read. */
const signers = new WeakMap<SigningKey, Signer>();

function signerOf(key: SigningKey): Signer {
  const known = signers.get(key);
  if (known !== undefined) return known;
  const header = encoded({ alg: "HS256", kid: key.id });
  const signer = { header, secret: createSecretKey(key.secret, "base64url") };
  signers.set(key, signer);
  return signer;
}

interface TokenContents extends Signer {
  readonly id: string;
  readonly version: DatasetId | undefined;
  readonly expiresAt: number;
}

/**
 * Signs synchronously: an answer has a hundred links, and signing through the thread pool takes ten times as long.
 */
function signedToken({ header, secret, id, version, expiresAt }: TokenContents): string {
  const content = `${header}.${encoded({ aud: id, sub: version, exp: expiresAt / 1000 })}`;
  return `${content}.${createHmac("sha256", secret).update(content).digest("base64url")}`;
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

const refused = (cause?: unknown): Error =>
  forbidden("this link is not valid or has expired; ask for a new one", { cause, reason: "LINK_INVALID" });

/** The id of the signing key in a token; undefined if it is not a token. */
function keyIdOf(token: string): string | undefined {
  if (!spelling.test(token)) return undefined;
  try {
    const { kid } = decodeProtectedHeader(token);
    return typeof kid === "string" ? kid : undefined;
  } catch {
    return undefined;
  }
}
