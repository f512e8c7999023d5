import type { AuditEvent } from "../audit/event.ts";
import type { DeviceCode } from "../devices/device.ts";
import type { DeviceCodeId, MemberId, OrganisationId, SessionId } from "../ids.ts";
import type { Member, PersonalToken } from "../members/member.ts";

export interface DeviceStore {
  /**
   * Also forgets those that have expired by its creation. Where as many are kept as may be, one of the network that has the
   * most gives way: its oldest that nobody has answered, else its oldest. "taken": the user code is.
   */
  create(device: DeviceCode, maxWaiting: number): Promise<"created" | "taken">;
  get(id: DeviceCodeId): Promise<DeviceCode | undefined>;
  /** Also one that has expired or been answered. */
  findByUserCode(userCode: string): Promise<DeviceCode | undefined>;
  /**
   * Once, and until it expires; the event is entered along. False: it was answered or has expired by then,
   * or the session has ended.
   */
  answer(
    id: DeviceCodeId,
    by: {
      readonly answer: "approved" | "denied";
      readonly memberId: MemberId;
      readonly organisationId: OrganisationId;
      /** The session that has answered, with which the token ends; null: none has. */
      readonly sessionId: SessionId | null;
    },
    now: number,
    event: AuditEvent,
  ): Promise<boolean>;
  polled(id: DeviceCodeId, at: number): Promise<void>;
  /**
   * Uses an approved one up and makes the token of its member. Undefined, and no token is made: it has been used, or the member
   * is gone.
   */
  redeem(id: DeviceCodeId, token: PersonalToken): Promise<Member | undefined>;
}
