import { describe, expect, it } from "vitest";
import { type OrganisationId } from "../../server/domain/ids.ts";
import { type OpenMetadataFixture, useMetadata } from "./testing/metadata.ts";
import { createTenant, join, makeEvent, makeInvitation, makeJoining, morning } from "./testing/records.ts";

/** Members, their personal tokens and invitations. */
export function membersContract(open: OpenMetadataFixture): void {
  describe("members", () => {
    const db = useMetadata(open);
    const actions = async (organisationId: OrganisationId) => {
      const { data } = await db.store.audit.list({ organisationId, offset: 0, limit: 100, action: "" });
      return data.map(({ action }) => action);
    };

    it("lists invitations until they expire, and forgets them afterwards", async () => {
      const { invitations } = db.store;
      const { organisationId } = await createTenant(db.store);
      const stranger = await createTenant(db.store);
      const first = makeInvitation(organisationId);
      const second = makeInvitation(organisationId, { createdAt: morning + 1, expiresAt: morning + 2000 });
      for (const invitation of [second, first]) await invitations.create(invitation, makeEvent());
      expect(await invitations.list(organisationId, morning + 999)).toEqual([first, second]);
      expect(await invitations.list(organisationId, morning + 1000)).toEqual([second]);
      expect(await invitations.list(stranger.organisationId, morning)).toEqual([]);
      expect(await invitations.get(first.id)).toEqual(first);
      const third = makeInvitation(organisationId, { createdAt: morning + 1000, expiresAt: morning + 3000 });
      await invitations.create(third, makeEvent());
      expect(await invitations.get(first.id)).toBeUndefined();
      expect(await invitations.list(organisationId, morning)).toEqual([second, third]);
    });

    it("revokes an open invitation of the organisation and no other", async () => {
      const { invitations } = db.store;
      const { organisationId } = await createTenant(db.store);
      const stranger = await createTenant(db.store);
      const { id, ...rest } = makeInvitation(organisationId);
      await invitations.create({ id, ...rest }, makeEvent());
      const event = () => makeEvent({ organisationId, action: "invitation.revoke" });
      expect(await invitations.revoke(stranger.organisationId, id, morning, event())).toBe(false);
      expect(await invitations.revoke(organisationId, id, morning + 1000, event())).toBe(false);
      expect(await invitations.revoke(organisationId, id, morning, event())).toBe(true);
      expect(await invitations.revoke(organisationId, id, morning, event())).toBe(false);
      expect(await invitations.get(id)).toBeUndefined();
      expect(await actions(organisationId)).toEqual(["invitation.revoke"]);
    });

    it("accepts one of many concurrent uses of an invitation", async () => {
      const { organisationId } = await createTenant(db.store);
      const invitation = makeInvitation(organisationId);
      await db.store.invitations.create(invitation, makeEvent());
      const other = await db.connect();
      const attempts = [db.store, other, db.store, other].map(async (store) => {
        const joining = makeJoining(invitation);
        const event = makeEvent({ organisationId, action: "member.join" });
        return { joining, joined: await store.invitations.accept(invitation.id, joining, morning, event) };
      });
      const outcomes = await Promise.all(attempts);
      const joined = outcomes.filter((outcome) => outcome.joined);
      expect(await db.store.members.list(organisationId)).toEqual(joined.map(({ joining }) => joining.member));
      expect(joined).toHaveLength(1);
      for (const { joining, joined } of outcomes) {
        expect(await db.store.members.findToken(joining.token.id)).toEqual(joined ? joining : undefined);
      }
      expect(await actions(organisationId)).toEqual(["member.join"]);
    });

    it("refuses an invitation that has expired", async () => {
      const { organisationId } = await createTenant(db.store);
      const invitation = makeInvitation(organisationId);
      await db.store.invitations.create(invitation, makeEvent());
      const joining = makeJoining(invitation);
      expect(await db.store.invitations.accept(invitation.id, joining, morning + 1000, makeEvent())).toBe(false);
      expect(await db.store.members.list(organisationId)).toEqual([]);
    });

    it("ends a token, and all tokens of a member who is removed", async () => {
      const { members } = db.store;
      const { organisationId } = await createTenant(db.store);
      const stranger = await createTenant(db.store);
      const { member, token } = await join(db.store, organisationId, "viewer");
      const leaver = await join(db.store, organisationId, "viewer");
      await members.removeToken(token.id, makeEvent({ organisationId, action: "member.sign_out" }));
      await members.removeToken(token.id, makeEvent({ organisationId, action: "member.sign_out" }));
      expect(await members.findToken(token.id)).toBeUndefined();
      expect(await members.get(organisationId, member.id)).toEqual(member);
      expect(await members.get(stranger.organisationId, member.id)).toBeUndefined();
      const event = makeEvent({ organisationId, action: "member.remove" });
      const foreign = { ...leaver.member, organisationId: stranger.organisationId };
      expect(await members.remove(foreign, event)).toBe("changed");
      expect(await members.remove(leaver.member, event)).toBe("done");
      expect(await members.findToken(leaver.token.id)).toBeUndefined();
      expect(await members.get(organisationId, leaver.member.id)).toBeUndefined();
      expect(await actions(organisationId)).toHaveLength(2);
    });

    it("changes a role only from the one that is known", async () => {
      const { members } = db.store;
      const { organisationId } = await createTenant(db.store);
      const { member } = await join(db.store, organisationId, "viewer");
      expect(await members.setRole(member, "admin", makeEvent())).toBe("done");
      expect(await members.setRole(member, "member", makeEvent())).toBe("changed");
      expect(await members.remove(member, makeEvent())).toBe("changed");
      expect(await members.get(organisationId, member.id)).toEqual({ ...member, role: "admin" });
    });

    it("keeps the last owner, also of two who are removed at the same time", async () => {
      const { members } = db.store;
      const { organisationId } = await createTenant(db.store);
      const owners = [await join(db.store, organisationId, "owner"), await join(db.store, organisationId, "owner")];
      await join(db.store, organisationId, "admin");
      const other = await db.connect();
      const [first, second] = owners.map(({ member }) => member);
      if (first === undefined || second === undefined) throw new Error("there must be two");
      const outcomes = await Promise.all([
        members.remove(first, makeEvent()),
        other.members.setRole(second, "viewer", makeEvent()),
      ]);
      expect(outcomes.toSorted()).toEqual(["done", "last owner"]);
      const left = (await members.list(organisationId)).filter(({ role }) => role === "owner");
      expect(left).toHaveLength(1);
      for (const owner of left) {
        expect(await members.remove(owner, makeEvent())).toBe("last owner");
        expect(await members.setRole(owner, "admin", makeEvent())).toBe("last owner");
      }
    });

    it("notes when a member last called, never backwards", async () => {
      const { members } = db.store;
      const { organisationId } = await createTenant(db.store);
      const { member, token } = await join(db.store, organisationId, "member");
      await members.touch(new Map([[member.id, morning + 50]]));
      await members.touch(new Map([[member.id, morning + 20]]));
      expect(await members.findToken(token.id)).toEqual({ token, member: { ...member, lastUsedAt: morning + 50 } });
    });
  });
}
