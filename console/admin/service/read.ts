import { DrsError, type DrsErrorCode } from "@drs/client";
import { server } from "../../shell/drs.tsx";
import { pageSession } from "../../shell/page-session.ts";
import { parseState, type State } from "./state.ts";

/** Reads the server's state. Throws `DrsError`, or an error with the text `unreadable` if the server has another version. */
export async function readState(unreadable: string, signal: AbortSignal): Promise<State> {
  // Sent with the session, as the client does; pages of other sites cannot send it.
  const headers = { "x-drs-console": pageSession.read() };
  const response = await fetch(`${server}/operator/state`, { headers, signal }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new DrsError({ code: "unavailable", message: `cannot reach ${server}`, cause });
  });
  const { ok, status, statusText } = response;
  const answer: unknown = await response.json().catch(() => undefined);
  if (!ok) {
    const message = isRecord(answer) && typeof answer["error"] === "string" ? answer["error"] : statusText;
    throw new DrsError({ code: codes.get(status) ?? "unavailable", message, status });
  }
  const state = parseState(answer);
  if (state === undefined) throw new Error(unreadable);
  return state;
}

const codes: ReadonlyMap<number, DrsErrorCode> = new Map([
  [401, "unauthenticated"],
  [403, "permission_denied"],
]);

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
