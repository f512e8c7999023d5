import { describe, expect, it } from "vitest";
import { newKeyId, newWorkspaceId } from "../../../server/domain/ids.ts";
import { noLimits } from "../../../server/domain/plans/plan.ts";
import type { SigningKey } from "../../../server/domain/workspaces/workspace.ts";
import type { OpenMetadataFixture } from "../testing/metadata.ts";
import { join, makeEvent, makeFounding, makeInvitation, makeJoining } from "../testing/records.ts";
import { now, fewRounds, race, rounds, tally, times, useRacers } from "./racing.ts";

/** Organisations and what is theirs, and the books, where calls meet. */
export function tenantRaces(open: OpenMetadataFixture): void {
  describe("tenants whose calls meet", () => {
    const db = useRacers(open);

    it("keep an owner, though the last two go at once", async () => {
      for (let round = 0; round < fewRounds; round++) {
        const { organisationId } = await db.tenant();
        const first = await join(db.store, organisationId, "owner");
        const second = await join(db.store, organisationId, "owner");
        const answers = await race(round, [
          () => db.at(0).members.remove(first.member, makeEvent({ organisationId })),
          () => db.at(1).members.setRole(second.member, "member", makeEvent({ organisationId })),
        ]);
        expect(tally(answers)).toEqual({ done: 1, "last owner": 1 });
        const members = await db.store.members.list(organisationId);
        expect(members.filter(({ role }) => role === "owner")).toHaveLength(1);
      }
    });

    it("change a member that is as the caller knows it", async () => {
      const { organisationId } = await db.tenant();
      await join(db.store, organisationId, "owner");
      for (let round = 0; round < rounds; round++) {
        const { member } = await join(db.store, organisationId, "member");
        const answers = await race(round, [
          () => db.at(0).members.remove(member, makeEvent({ organisationId })),
          () => db.at(1).members.remove(member, makeEvent({ organisationId })),
          () => db.at(2).members.setRole(member, "admin", makeEvent({ organisationId })),
        ]);
        expect(tally(answers)).toEqual({ done: 1, changed: 2 });
      }
    });

    it("use an invitation up once, or revoke it", async () => {
      const { organisationId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const invitation = makeInvitation(organisationId, { expiresAt: now + 1000 });
        await db.store.invitations.create(invitation, makeEvent());
        const joinings = times(3, () => makeJoining(invitation));
        const answers = await race(round, [
          ...joinings.map(
            (joining, index) => () =>
              db.at(index).invitations.accept(invitation.id, joining, now, makeEvent({ organisationId })),
          ),
          () => db.at(3).invitations.revoke(organisationId, invitation.id, now, makeEvent({ organisationId })),
        ]);
        expect(tally(answers)).toEqual({ true: 1, false: 3 });
        const ids = (await db.store.members.list(organisationId)).map(({ id }) => id);
        expect(joinings.map(({ member }) => ids.includes(member.id))).toEqual(answers.slice(0, 3));
      }
    });

    it("are on a plan that there is, though it is deleted at the same time", async () => {
      const moving = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const plan = `going-${round}`;
        await db.store.plans.set({ name: plan, limits: noLimits }, makeEvent());
        const founding = makeFounding({ plan });
        const [deleted, isCreated, updated] = await race(round, [
          () => db.at(0).plans.delete(plan, makeEvent()),
          () => db.at(1).organisations.create(founding, []),
          async () => {
            if (round % 2 === 0) return undefined;
            return db.at(2).organisations.update(moving.organisationId, { name: undefined, plan }, []);
          },
        ]);
        const isUsed = isCreated || (typeof updated === "object" && updated.plan === plan);
        expect(deleted).toBe(isUsed ? "in use" : "deleted");
        expect((await db.store.plans.get(plan)) !== undefined).toBe(isUsed);
        await db.store.organisations.update(moving.organisationId, { name: undefined, plan: "unlimited" }, []);
      }
    });

    it("have one workspace of a name", async () => {
      const { organisationId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const name = `workspace-${round}`;
        const answers = await race(
          round,
          times(4, (index) => () => {
            const workspace = { id: newWorkspaceId(), organisationId, name, createdAt: now };
            return db.at(index).workspaces.create(workspace, makeEvent({ organisationId }));
          }),
        );
        expect(tally(answers)).toEqual({ true: 1, false: 3 });
      }
    });

    it("replace a key once, and not one that is revoked", async () => {
      const { organisationId, workspaceId } = await db.tenant();
      const makeKey = () => ({ ...makeFounding().key, id: newKeyId(), organisationId, workspaceId });
      for (let round = 0; round < rounds; round++) {
        const key = makeKey();
        await db.store.keys.create(key, makeEvent());
        const successors = times(3, makeKey);
        const [revoked, again, ...rotated] = await race(round, [
          () => db.at(3).keys.revoke(organisationId, key.id, now, makeEvent({ organisationId })),
          () => db.at(2).keys.revoke(organisationId, key.id, now + 1, makeEvent({ organisationId })),
          ...successors.map(
            (successor, index) => () =>
              db.at(index).keys.rotate(key.id, successor, now + 500, makeEvent({ organisationId })),
          ),
        ]);
        const left = await db.store.keys.get(key.id);
        expect(left?.revokedAt).toBe(revoked?.revokedAt);
        expect(left?.revokedAt).toBe(again?.revokedAt);
        const chosen = successors.filter((_, index) => rotated[index]);
        expect(chosen.length).toBeLessThanOrEqual(1);
        expect(left?.replacedBy ?? undefined).toBe(chosen[0]?.id);
        const there = await Promise.all(successors.map(({ id }) => db.store.keys.get(id)));
        expect(there.map((found) => found !== undefined)).toEqual(rotated);
      }
    });

    it("have one key that signs, also at the first start", async () => {
      let made = 0;
      const nextKey = (): SigningKey => {
        made += 1;
        return { id: `key-${made}`, secret: "s", createdAt: now + made, supersededAt: null };
      };
      let current: string | undefined;
      for (let round = 0; round < fewRounds; round++) {
        const answers = await race(
          round,
          times(4, (index) => () => {
            const change = { replaces: current, event: makeEvent() };
            return db.at(index).signingKeys.rotate(nextKey(), change);
          }),
        );
        expect(tally(answers)).toEqual({ true: 1, false: 3 });
        expect((await db.store.signingKeys.list()).filter(({ supersededAt }) => supersededAt === null)).toHaveLength(1);
        await race(
          round,
          times(3, (index) => () => db.at(index).signingKeys.replaceAll(nextKey(), makeEvent())),
        );
        expect(await db.store.signingKeys.list()).toHaveLength(1);
        current = (await db.store.signingKeys.current())?.id;
      }
    });

    it("are counted and touched in any order", async () => {
      const tenants = [];
      for (let count = 0; count < 8; count++) tenants.push(await db.tenant());
      const { organisationId, workspaceId } = await db.tenant();
      const members = [];
      for (let count = 0; count < 8; count++) members.push((await join(db.store, organisationId, "member")).member.id);
      const keys = times(8, () => ({ ...makeFounding().key, id: newKeyId(), organisationId, workspaceId }));
      for (const key of keys) await db.store.keys.create(key, makeEvent());
      const month = "2026-11";
      for (let round = 0; round < rounds; round++) {
        const counts = tenants.map(({ workspaceId }) => ({ workspaceId, month, requests: 1 }));
        const keyUses = keys.map(({ id }) => [id, now + round] as const);
        const memberUses = members.map((id) => [id, now + round] as const);
        await race(round, [
          () => db.at(0).usage.addRequests(counts),
          () => db.at(1).usage.addRequests(counts.toReversed()),
          () => db.at(2).keys.touch(new Map(keyUses)),
          () => db.at(3).keys.touch(new Map(keyUses.toReversed())),
          () => db.at(0).members.touch(new Map(memberUses)),
          () => db.at(1).members.touch(new Map(memberUses.toReversed())),
        ]);
      }
      for (const { workspaceId } of tenants) {
        const counted = await db.store.usage.requestsSince(workspaceId, month);
        expect(counted).toEqual([{ month, requests: 2 * rounds }]);
      }
      for (const { id } of keys) expect((await db.store.keys.get(id))?.lastUsedAt).toBe(now + rounds - 1);
    });
  });
}
