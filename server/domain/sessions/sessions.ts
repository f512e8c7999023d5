import { actOf } from "../audit/event.ts";
import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { notFound } from "../errors.ts";
import { parseSessionId } from "../ids.ts";
import { isOpen, type Session } from "./session.ts";
import { holderIn } from "./sign-in.ts";

/** Lists the caller's open sessions, oldest first. */
export async function listSessions(
  { metadata, clock }: Domain,
  { caller }: { caller: Caller },
): Promise<readonly Session[]> {
  const now = clock();
  const sessions = await metadata.sessions.list(holderIn(caller.actor));
  return sessions.filter((session) => isOpen(session, now));
}

/**
 * Ends one of the caller's sessions. If it is not the session of the call, what it has created ends too: whoever
 * ends a session from elsewhere does not trust its browser. Throws `not_found` for those of others.
 */
export async function endSession(
  { metadata, clock }: Domain,
  { caller, input }: { caller: Caller; input: { id: string } },
): Promise<void> {
  const id = parseSessionId(input.id);
  const event = actOf(caller, { action: "session.end", target: input.id }, clock());
  const how = { isDistrusted: id !== caller.sessionId, event };
  if (id === undefined || !(await metadata.sessions.end(holderIn(caller.actor), id, how))) {
    throw notFound(`you have no session ${JSON.stringify(input.id)}`);
  }
}
