import { beforeEach, describe, expect, it } from "vitest";
import { type MemberId, newMemberId, type OrganisationId } from "../../server/domain/ids.ts";
import type { Member } from "../../server/domain/members/member.ts";
import type { IdentityJoining } from "../../server/domain/ports/members.ts";
import { type OpenMetadataFixture, useMetadata } from "./testing/metadata.ts";
import { createTenant, makeEvent, makeFounding, makeInvitation, morning } from "./testing/records.ts";

/** Which members the people of providers are, and how they become that. */
export function identitiesContract(open: OpenMetadataFixture): void {
  describe("identities", () => {
    const db = useMetadata(open);
    const issuer = "https://login.example";
    let subject: string;
    beforeEach(() => {
      subject = `ada ${newMemberId()}`;
    });
    const makeMember = (organisationId: OrganisationId): Member => ({
      id: newMemberId(),
      organisationId,
      name: "Ada",
      role: "viewer",
      createdAt: morning,
      lastUsedAt: null,
    });
    function makeJoining(organisationId: OrganisationId, fields: Partial<IdentityJoining> = {}): IdentityJoining {
      const member = makeMember(organisationId);
      const identity = { issuer, subject, organisationId, memberId: member.id, createdAt: morning };
      return { identity, member, replaces: undefined, invitation: undefined, founding: undefined, ...fields };
    }
    const members = async (organisationId: OrganisationId): Promise<readonly MemberId[]> =>
      (await db.store.members.list(organisationId)).map(({ id }) => id);
    const actions = async (organisationId: OrganisationId) =>
      (await db.store.audit.list({ organisationId, offset: 0, limit: 100, action: "" })).total;

    it("finds the member by issuer and subject together", async () => {
      const { identities } = db.store;
      const { organisationId } = await createTenant(db.store);
      const joining = makeJoining(organisationId);
      expect(await identities.join(joining, morning, [makeEvent({ organisationId })])).toBe("joined");
      expect(await identities.get(issuer, subject)).toEqual(joining.identity);
      expect(await identities.get(issuer, subject.toUpperCase())).toBeUndefined();
      expect(await identities.get("https://other.example", subject)).toBeUndefined();
      expect(await members(organisationId)).toEqual([joining.member.id]);
      expect(await actions(organisationId)).toBe(1);
    });

    it("joins one of many at a time", async () => {
      const { organisationId } = await createTenant(db.store);
      const other = await db.connect();
      const outcomes = await Promise.all(
        [db.store, other, db.store, other].map((store) =>
          store.identities.join(makeJoining(organisationId), morning, [makeEvent({ organisationId })]),
        ),
      );
      expect(outcomes.toSorted()).toEqual(["changed", "changed", "changed", "joined"]);
      expect(await members(organisationId)).toHaveLength(1);
      expect(await actions(organisationId)).toBe(1);
    });

    it("is linked with a member who is there, and unlinked", async () => {
      const { identities } = db.store;
      const { organisationId } = await createTenant(db.store);
      const first = makeJoining(organisationId);
      expect(await identities.join(first, morning, [])).toBe("joined");
      const linked = { ...first.identity, subject: `${subject} too`, createdAt: morning + 1 };
      const event = () => makeEvent({ organisationId, action: "identity.link" });
      expect(
        await identities.link(
          { ...linked, memberId: newMemberId() },
          { replaces: undefined, sessionId: null },
          event(),
        ),
      ).toBe(false);
      expect(await identities.link(linked, { replaces: undefined, sessionId: null }, event())).toBe(true);
      expect(
        await identities.link({ ...linked, createdAt: morning + 2 }, { replaces: undefined, sessionId: null }, event()),
      ).toBe(false);
      expect(await identities.ofMember(first.member.id)).toEqual([first.identity, linked]);
      expect(await actions(organisationId)).toBe(1);
      for (let times = 0; times < 2; times++) await identities.unlink(first.member.id, event());
      expect(await identities.ofMember(first.member.id)).toEqual([]);
      expect(await actions(organisationId)).toBe(2);
      expect(await members(organisationId)).toEqual([first.member.id]);
    });

    it("outlives its member, and means another one only to those who know whom it meant", async () => {
      const { identities } = db.store;
      const { organisationId } = await createTenant(db.store);
      const first = makeJoining(organisationId);
      await identities.join(first, morning, []);
      expect(await db.store.members.remove(first.member, makeEvent())).toBe("done");
      expect(await identities.get(issuer, subject)).toEqual(first.identity);
      const second = makeJoining(organisationId, { replaces: newMemberId() });
      expect(await identities.join(second, morning, [])).toBe("changed");
      expect(await members(organisationId)).toEqual([]);
      expect(await identities.join({ ...second, replaces: first.member.id }, morning, [])).toBe("joined");
      expect(await identities.get(issuer, subject)).toEqual(second.identity);
    });

    it("uses an invitation up, or does nothing at all", async () => {
      const { identities, invitations } = db.store;
      const { organisationId } = await createTenant(db.store);
      const invitation = makeInvitation(organisationId, { email: "ada@example.org" });
      await invitations.create(invitation, makeEvent());
      const joining = makeJoining(organisationId, { invitation: invitation.id });
      expect(await identities.join(joining, invitation.expiresAt, [])).toBe("changed");
      expect(await identities.join(joining, morning, [])).toBe("joined");
      expect(await invitations.get(invitation.id)).toBeUndefined();
      const late = makeJoining(organisationId, {
        invitation: invitation.id,
        identity: { ...joining.identity, subject: `bo ${subject}` },
      });
      expect(await identities.join(late, morning, [makeEvent({ organisationId })])).toBe("changed");
      expect(await identities.get(issuer, `bo ${subject}`)).toBeUndefined();
      expect(await members(organisationId)).toEqual([joining.member.id]);
      expect(await actions(organisationId)).toBe(0);
    });

    it("founds an organisation along, on a plan that there is", async () => {
      const { identities, organisations, workspaces } = db.store;
      const founding = makeFounding();
      const { id } = founding.organisation;
      const lost = { ...founding, organisation: { ...founding.organisation, plan: "nowhere" } };
      expect(await identities.join(makeJoining(id, { founding: lost }), morning, [])).toBe("no plan");
      expect(await organisations.get(id)).toBeUndefined();
      const joining = makeJoining(id, { founding });
      expect(await identities.join(joining, morning, [])).toBe("joined");
      expect(await organisations.get(id)).toEqual(founding.organisation);
      expect(await workspaces.oldest(id)).toMatchObject({ id: founding.workspace.id });
      expect(await members(id)).toEqual([joining.member.id]);
    });

    it("lists the open invitations for an address, of all organisations, newest first", async () => {
      const { invitations } = db.store;
      const [one, other] = [await createTenant(db.store), await createTenant(db.store)];
      const email = `${newMemberId()}@example.org`;
      const make = (organisationId: OrganisationId, createdAt: number) =>
        makeInvitation(organisationId, { email, createdAt, expiresAt: createdAt + 1000 });
      const [older, newer] = [make(one.organisationId, morning), make(other.organisationId, morning + 1)];
      const unnamed = makeInvitation(one.organisationId, { createdAt: morning + 2 });
      for (const invitation of [newer, older, unnamed]) await invitations.create(invitation, makeEvent());
      expect(await invitations.listByEmail(email, morning)).toEqual([newer, older]);
      expect(await invitations.listByEmail(email, morning + 1000)).toEqual([newer]);
      expect(await invitations.listByEmail("bo@example.org", morning)).toEqual([]);
    });
  });
}
