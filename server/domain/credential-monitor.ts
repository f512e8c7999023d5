import type { Caller } from "./caller.ts";
import type { Clock } from "./clock.ts";
import { type DomainError, unauthenticated } from "./errors.ts";
import type { Metadata } from "./ports/metadata.ts";
import { isOpen, sessionEnded } from "./sessions/session.ts";
import { isUsable } from "./workspaces/workspace.ts";

/**
 * Watches whether callers of long calls, such as one that watches a job for hours, may still call: a key can be
 * revoked or expire, a member can be removed or sign out.
 */
export interface CredentialMonitor {
  /**
   * Follows a caller until `leave`; the signal is aborted with `unauthenticated` when the caller may no longer
   * call.
   */
  follow(caller: Caller): FollowedCaller;
}

export interface FollowedCaller {
  readonly signal: AbortSignal;
  leave(): void;
}

interface StandingOptions {
  /**
   * Interval at which the credentials of all long calls are checked: the longest that a call continues after its
   * credential has been revoked.
   */
  readonly checkMs?: number;
}

const defaultCheckMs = 5_000;

interface FollowedCredential {
  readonly caller: Caller;
  readonly ended: AbortController;
  followers: number;
}

/** The stores that say whether a credential still works. */
export interface StandingRows {
  readonly keys: Pick<Metadata["keys"], "get">;
  readonly members: Pick<Metadata["members"], "findToken" | "get">;
  readonly sessions: Pick<Metadata["sessions"], "get">;
}

/** Reads each credential once per check, however many calls use it. */
export function createCredentialMonitor(
  { keys, members, sessions }: StandingRows,
  clock: Clock,
  { checkMs = defaultCheckMs }: StandingOptions = {},
): CredentialMonitor {
  const followed = new Map<string, FollowedCredential>();
  let isChecking = false;

  async function mayCall({ actor, organisationId, sessionId }: Caller): Promise<boolean> {
    if (sessionId !== undefined) {
      const session = await sessions.get(sessionId);
      if (session === undefined || !isOpen(session, clock())) return false;
    }
    if (actor.kind === "member") {
      const { tokenId, memberId } = actor;
      const found = tokenId === undefined ? members.get(organisationId, memberId) : members.findToken(tokenId);
      return (await found) !== undefined;
    }
    const key = await keys.get(actor.keyId);
    return key !== undefined && isUsable(key, clock());
  }

  async function check(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    try {
      while (followed.size > 0) {
        await new Promise((resolve) => setTimeout(resolve, checkMs).unref());
        for (const [id, { caller, ended }] of followed) {
          // If the store fails, the caller may continue: the failure says nothing about the credential.
          if (await mayCall(caller).catch(() => true)) continue;
          followed.delete(id);
          ended.abort(noLonger(caller));
        }
      }
    } finally {
      isChecking = false;
    }
  }

  return {
    follow(caller) {
      const id = credentialOf(caller);
      const credential = followed.get(id) ?? { caller, ended: new AbortController(), followers: 0 };
      followed.set(id, credential);
      credential.followers += 1;
      void check();
      let isFollowing = true;
      return {
        signal: credential.ended.signal,
        leave() {
          if (!isFollowing) return;
          isFollowing = false;
          credential.followers -= 1;
          if (credential.followers === 0 && followed.get(id) === credential) followed.delete(id);
        },
      };
    },
  };
}

function credentialOf({ actor, sessionId }: Caller): string {
  return sessionId ?? (actor.kind === "key" ? actor.keyId : (actor.tokenId ?? actor.memberId));
}

function noLonger({ actor, sessionId }: Caller): DomainError {
  if (sessionId !== undefined) return sessionEnded();
  return unauthenticated(
    actor.kind === "key"
      ? "this API key has been revoked or has expired; use another one"
      : "this personal token is no longer valid; join again with an invitation from your organisation",
  );
}
