import type { AuditEvent } from "../audit/event.ts";
import type { SessionId, SignInCodeId } from "../ids.ts";
import type { Holder, Session, SignInCode } from "../sessions/session.ts";

export interface SessionStore {
  /** Also logs the event, and deletes sessions and codes that have expired by the session's creation. */
  create(session: Session, event: AuditEvent): Promise<void>;
  /** Includes expired sessions. */
  get(id: SessionId): Promise<Session | undefined>;
  /** Oldest first, expired ones included. */
  list(holder: Holder): Promise<readonly Session[]>;
  /**
   * Ends a session of the holder and logs the event; false if there is none. If it is distrusted, the tokens of the
   * devices that it has approved and the identities that it has linked end too.
   */
  end(
    holder: Holder,
    id: SessionId,
    how: { readonly isDistrusted: boolean; readonly event: AuditEvent },
  ): Promise<boolean>;
  /** Called in batches; never moves `lastUsedAt` back. */
  touch(uses: ReadonlyMap<SessionId, number>): Promise<void>;
  createCode(code: SignInCode): Promise<void>;
  getCode(id: SignInCodeId): Promise<SignInCode | undefined>;
  /** Uses up a code; false if it has been used. */
  useCode(id: SignInCodeId): Promise<boolean>;
}
