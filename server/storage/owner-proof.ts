import { createHmac, timingSafeEqual } from "node:crypto";

/** The challenge that a client sends over a connection to the server of a data folder. */
export interface Challenge {
  /** Fresh random characters, chosen by the client. */
  readonly nonce: string;
  /** The server's end of the connection, as seen by the side that computes the proof. */
  readonly address: string;
  readonly port: number;
}

/** Number of random bytes in a nonce. */
export const nonceBytes = 32;

/** The path at which a server answers challenges, and the header of the answer. */
export const proofPath = "/identity";
export const proofHeader = "drs-proof";

/**
 * Proves knowledge of the secret in `server.json` without sending it. The proof is valid only for one end of one
 * connection. A program that relays the challenge and the answer is reached by its clients at another address than the
 * server's, so the two sides compute different proofs. HMAC-SHA-256, base64url.
 */
export function proofOf(secret: string, { nonce, address, port }: Challenge): string {
  const message = ["drs server of a data folder", nonce, plainAddress(address), String(port)].join("\n");
  return createHmac("sha256", secret).update(message).digest("base64url");
}

export function isProof(secret: string, challenge: Challenge, proof: string): boolean {
  const [expected, given] = [Buffer.from(proofOf(secret, challenge)), Buffer.from(proof)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** Removes the IPv6 prefix of an IPv4 address, which a server that listens on `::` sees. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
