import { Code } from "@connectrpc/connect";
import { codeName } from "../errors.ts";
import type { Exchange } from "./exchange.ts";

/** Probes come every few seconds for ever, and commands ask at each connection. */
const quiet = new Set(["GET /healthz", "GET /readyz", "GET /metrics", "GET /identity"]);

/** The one log line of a request. Neither query nor headers are in it: they hold tokens and keys. */
export function logRequest({ record, response, signal }: Exchange, ms: number): void {
  const { method, protocol, caller } = record;
  if (signal.aborted) record.code ??= codeName(Code.Canceled);
  const fields = { method, protocol, status: response.statusCode, code: record.code ?? "OK", ms };
  const line = caller === undefined ? fields : { ...fields, workspaceId: caller.workspaceId };
  if (quiet.has(method)) record.log.debug(line, "request");
  else record.log.info(line, "request");
}
