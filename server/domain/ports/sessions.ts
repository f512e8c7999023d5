import type { AuditEvent } from "../audit/event.ts";
import type { SessionId, SignInCodeId } from "../ids.ts";
import type { Holder, Session, SignInCode } from "../sessions/session.ts";

export interface SessionStore {
  /** Enters the event as well, and forgets sessions and codes that have expired by the session's creation. */
  create(session: Session, event: AuditEvent): Promise<void>;
  /** Also one that has expired. */
  get(id: SessionId): Promise<Session | undefined>;
  /** Oldest first, expired ones too. */
  list(holder: Holder): Promise<readonly Session[]>;
  /**
   * Ends a session of the holder and enters the event; false: there is none. Of one that is distrusted the tokens of the devices
   * that it has let in and the identities that it has linked end too.
   */
  end(
    holder: Holder,
    id: SessionId,
    how: { readonly isDistrusted: boolean; readonly event: AuditEvent },
  ): Promise<boolean>;
  /** Written in batches; never moves `lastUsedAt` back. */
  touch(uses: ReadonlyMap<SessionId, number>): Promise<void>;
  createCode(code: SignInCode): Promise<void>;
  getCode(id: SignInCodeId): Promise<SignInCode | undefined>;
  /** Uses a code up; false: it has been used. */
  useCode(id: SignInCodeId): Promise<boolean>;
}
