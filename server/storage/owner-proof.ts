import { createHmac, timingSafeEqual } from "node:crypto";

/** The challenge that a client sends to the server of a data folder, over one connection. */
export interface Challenge {
  /** Fresh random characters, chosen by the client. */
  readonly nonce: string;
  /** The server's end of the connection, as each side sees it for itself. */
  readonly address: string;
  readonly port: number;
}

/** Random bytes of a nonce. */
export const nonceBytes = 32;

/** Where a server answers challenges, and in which header. */
export const proofPath = "/identity";
export const proofHeader = "drs-proof";

/**
 * Proves knowledge of the secret in `server.json`, which itself is never sent. The proof is valid for one end of one
 * connection only: a program that passes challenge and answer on has its clients connected to another address than the
 * one that the server sees, so the two sides compute different proofs. HMAC-SHA-256, base64url.
 */
export function proofOf(secret: string, { nonce, address, port }: Challenge): string {
  const message = ["drs server of a data folder", nonce, plainAddress(address), String(port)].join("\n");
  return createHmac("sha256", secret).update(message).digest("base64url");
}

export function isProof(secret: string, challenge: Challenge, proof: string): boolean {
  const [expected, given] = [Buffer.from(proofOf(secret, challenge)), Buffer.from(proof)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** A server that listens on `::` sees IPv4 addresses in their IPv6 form. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
