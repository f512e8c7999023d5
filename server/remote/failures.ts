import { DomainError, invalid, unavailable } from "../domain/errors.ts";

/** The error for an answer without the file; `unavailable` if another try may succeed. */
export function statusFailure(host: string, status: number | undefined): DomainError {
  const answered = `${host} answered ${status} instead of the file`;
  if (status === 408 || status === 425 || status === 429 || (status !== undefined && status >= 500)) {
    return unavailable(`${answered}; try again later`);
  }
  if (status === 401 || status === 403)
    return invalid(`${answered}; give an address that can be read without signing in`);
  return invalid(`${answered}; check the address`);
}

/** Descriptions of permanent failures. */
const lasting: Readonly<Record<string, string>> = {
  ENOTFOUND: "the host name is not known; check the address",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is not from a known authority",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is not from a known authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is not from a known authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is not from a known authority",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
};

/** Descriptions of temporary failures. */
const passing: Readonly<Record<string, string>> = {
  EAI_AGAIN: "the host name cannot be resolved now",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was lost before the end",
  EPIPE: "the connection was lost before the end",
  ERR_STREAM_PREMATURE_CLOSE: "the connection was lost before the end",
  ETIMEDOUT: "it does not answer",
  EHOSTUNREACH: "it cannot be reached",
  ENETUNREACH: "it cannot be reached",
};

/** Describes a failed connection. Never uses the system's message, which contains addresses of this machine. */
export function connectionFailure(host: string, cause: unknown): DomainError {
  if (cause instanceof DomainError) return cause;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const reason = lasting[code] ?? (/^(HPE|ERR_SSL|EPROTO)/.test(code) ? `it does not speak HTTP (${code})` : undefined);
  if (reason !== undefined) return invalid(`${host} cannot be fetched from: ${reason}`, { cause });
  const passed = passing[code] ?? `the connection failed (${code || "for an unknown reason"})`;
  return unavailable(`${host} cannot be fetched from: ${passed}`, { cause });
}
