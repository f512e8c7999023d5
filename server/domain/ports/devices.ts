import type { AuditEvent } from "../audit/event.ts";
import type { DeviceCode } from "../devices/device.ts";
import type { DeviceCodeId, MemberId, OrganisationId, SessionId } from "../ids.ts";
import type { Member, PersonalToken } from "../members/member.ts";

export interface DeviceStore {
  /**
   * Also deletes devices that have expired by its creation. If `maxWaiting` devices are stored, one of the network
   * with the most is dropped: its oldest unanswered one, else its oldest. "taken": the user code is in use.
   */
  create(device: DeviceCode, maxWaiting: number): Promise<"created" | "taken">;
  get(id: DeviceCodeId): Promise<DeviceCode | undefined>;
  /** Includes devices that have expired or been answered. */
  findByUserCode(userCode: string): Promise<DeviceCode | undefined>;
  /**
   * Stores the answer and logs the event, once per device. False if it was answered or has expired by then, or the
   * session has ended.
   */
  answer(
    id: DeviceCodeId,
    by: {
      readonly answer: "approved" | "denied";
      readonly memberId: MemberId;
      readonly organisationId: OrganisationId;
      /** The session that answered; the token ends with it. Null if there is none. */
      readonly sessionId: SessionId | null;
    },
    now: number,
    event: AuditEvent,
  ): Promise<boolean>;
  polled(id: DeviceCodeId, at: number): Promise<void>;
  /**
   * Uses up an approved device and creates its member's token. Undefined, without a token, if it has been used or
   * the member is gone.
   */
  redeem(id: DeviceCodeId, token: PersonalToken): Promise<Member | undefined>;
}
