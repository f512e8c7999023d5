import { describe, expect, it } from "vitest";
import type { DeviceCode } from "../../server/domain/devices/device.ts";
import {
  newKeyId,
  newMemberId,
  newSessionId,
  newSignInCodeId,
  newTokenId,
  type OrganisationId,
} from "../../server/domain/ids.ts";
import type { Holder, Session, SignInCode } from "../../server/domain/sessions/session.ts";
import { type OpenMetadataFixture, useMetadata } from "./testing/metadata.ts";
import { createTenant, join, makeDevice, makeEvent, morning } from "./testing/records.ts";

/** Signed-in browsers and the codes that sign them in. */
export function sessionsContract(open: OpenMetadataFixture): void {
  describe("sessions", () => {
    const db = useMetadata(open);
    const makeSession = (organisationId: OrganisationId, holder: Holder, fields: Partial<Session> = {}): Session => ({
      id: newSessionId(),
      organisationId,
      holder,
      secretSha256: "ab".repeat(32),
      pageSecretSha256: "ef".repeat(32),
      agent: "Firefox",
      createdAt: morning,
      lastUsedAt: null,
      expiresAt: morning + 1000,
      ...fields,
    });
    const makeCode = (organisationId: OrganisationId, holder: Holder): SignInCode => ({
      id: newSignInCodeId(),
      organisationId,
      holder,
      secretSha256: "cd".repeat(32),
      expiresAt: morning + 1000,
    });
    const holders = (): readonly Holder[] => [
      { kind: "key", keyId: newKeyId() },
      { kind: "member", memberId: newMemberId() },
    ];

    const leave = () => ({ isDistrusted: false, event: makeEvent() });

    it("keeps the sessions of each holder apart", async () => {
      const { sessions } = db.store;
      const { organisationId } = await createTenant(db.store);
      for (const holder of holders()) {
        const [first, second] = [
          makeSession(organisationId, holder),
          makeSession(organisationId, holder, { createdAt: morning + 1 }),
        ];
        for (const session of [second, first]) await sessions.create(session, makeEvent());
        expect(await sessions.list(holder)).toEqual([first, second]);
        expect(await sessions.get(first.id)).toEqual(first);
        const [stranger] = holders().filter(({ kind }) => kind === holder.kind);
        if (stranger === undefined) throw new Error("there is no other holder");
        expect(await sessions.list(stranger)).toEqual([]);
        expect(await sessions.end(stranger, first.id, leave())).toBe(false);
        expect(await sessions.end(holder, first.id, leave())).toBe(true);
        expect(await sessions.end(holder, first.id, leave())).toBe(false);
        expect(await sessions.list(holder)).toEqual([second]);
      }
    });

    it("forgets sessions and codes that have expired when another one begins", async () => {
      const { sessions } = db.store;
      const { organisationId } = await createTenant(db.store);
      const [holder] = holders();
      if (holder === undefined) throw new Error("there is no holder");
      const [old, open] = [
        makeSession(organisationId, holder),
        makeSession(organisationId, holder, { expiresAt: morning + 2000 }),
      ];
      const code = makeCode(organisationId, holder);
      for (const session of [old, open]) await sessions.create(session, makeEvent());
      await sessions.createCode(code);
      const next = makeSession(organisationId, holder, { createdAt: morning + 1000, expiresAt: morning + 3000 });
      await sessions.create(next, makeEvent());
      expect((await sessions.list(holder)).map(({ id }) => id)).toEqual([open.id, next.id]);
      expect(await sessions.getCode(code.id)).toBeUndefined();
    });

    it("uses a code up once, however many try", async () => {
      const { organisationId } = await createTenant(db.store);
      const other = await db.connect();
      for (const holder of holders()) {
        const code = makeCode(organisationId, holder);
        await db.store.sessions.createCode(code);
        expect(await other.sessions.getCode(code.id)).toEqual(code);
        const used = await Promise.all([db.store, other, db.store].map((store) => store.sessions.useCode(code.id)));
        expect(used.filter(Boolean)).toHaveLength(1);
        expect(await db.store.sessions.getCode(code.id)).toBeUndefined();
      }
    });

    it("ends with a session that is distrusted what it has made, and lets nothing more be made", async () => {
      const { devices, identities, members, sessions } = db.store;
      for (const isDistrusted of [false, true]) {
        const { organisationId } = await createTenant(db.store);
        const { member } = await join(db.store, organisationId, "member");
        const holder = { kind: "member", memberId: member.id } as const;
        const session = makeSession(organisationId, holder);
        await sessions.create(session, makeEvent());
        const start = async (): Promise<DeviceCode> => {
          const device = makeDevice();
          expect(await devices.create(device, 1_000)).toBe("created");
          return device;
        };
        const by = { answer: "approved", memberId: member.id, organisationId, sessionId: session.id } as const;
        const letIn = async ({ id }: DeviceCode) => devices.answer(id, by, morning, makeEvent());
        const [polled, waiting, late] = [await start(), await start(), await start()];
        expect([await letIn(polled), await letIn(waiting)]).toEqual([true, true]);
        const tokenOf = () => ({
          id: newTokenId(),
          memberId: member.id,
          name: "a device",
          secretSha256: "cd".repeat(32),
          createdAt: morning,
        });
        const token = tokenOf();
        expect(await devices.redeem(polled.id, token)).toEqual(member);
        const identity = {
          issuer: "https://login",
          subject: session.id,
          organisationId,
          memberId: member.id,
          createdAt: 1,
        };
        const link = { replaces: undefined, sessionId: session.id };
        expect(await identities.link(identity, link, makeEvent())).toBe(true);

        expect(await sessions.end(holder, session.id, { isDistrusted, event: makeEvent() })).toBe(true);
        expect((await members.findToken(token.id)) === undefined).toBe(isDistrusted);
        expect(await identities.ofMember(member.id)).toEqual(isDistrusted ? [] : [identity]);
        expect((await devices.redeem(waiting.id, tokenOf())) === undefined).toBe(isDistrusted);
        expect(await letIn(late)).toBe(false);
        expect(await identities.link({ ...identity, subject: `${session.id} too` }, link, makeEvent())).toBe(false);
      }
    });

    it("never moves the last use back", async () => {
      const { sessions } = db.store;
      const { organisationId } = await createTenant(db.store);
      const session = makeSession(organisationId, { kind: "key", keyId: newKeyId() });
      await sessions.create(session, makeEvent());
      for (const at of [morning + 5, morning + 3]) await sessions.touch(new Map([[session.id, at]]));
      expect(await sessions.get(session.id)).toEqual({ ...session, lastUsedAt: morning + 5 });
    });

    it("ends the sessions and codes of a member who is removed", async () => {
      const { members, sessions } = db.store;
      const { organisationId } = await createTenant(db.store);
      const { member } = await join(db.store, organisationId, "member");
      const holder = { kind: "member", memberId: member.id } as const;
      const session = makeSession(organisationId, holder);
      const code = makeCode(organisationId, holder);
      await sessions.create(session, makeEvent());
      await sessions.createCode(code);
      expect(await members.remove(member, makeEvent())).toBe("done");
      expect(await sessions.get(session.id)).toBeUndefined();
      expect(await sessions.getCode(code.id)).toBeUndefined();
    });
  });
}
