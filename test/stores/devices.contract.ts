import { describe, expect, it } from "vitest";
import type { DeviceCode } from "../../server/domain/devices/device.ts";
import { newTokenId } from "../../server/domain/ids.ts";
import type { Member } from "../../server/domain/members/member.ts";
import { type OpenMetadataFixture, useMetadata } from "./testing/metadata.ts";
import { createTenant, join, makeDevice, makeEvent, morning } from "./testing/records.ts";

/** Devices that wait for a person to let them in. */
export function devicesContract(open: OpenMetadataFixture): void {
  describe("devices", () => {
    const db = useMetadata(open);
    const many = 1000;
    const newMember = async (): Promise<Member> => {
      const { organisationId } = await createTenant(db.store);
      return (await join(db.store, organisationId, "viewer")).member;
    };
    const by = ({ id, organisationId }: Member, answer: "approved" | "denied" = "approved") => ({
      answer,
      memberId: id,
      organisationId,
      sessionId: null,
    });
    const tokenOf = ({ id }: Member) => ({
      id: newTokenId(),
      memberId: id,
      name: "a device",
      secretSha256: "cd".repeat(32),
      createdAt: morning,
    });

    it("finds them by both codes until others begin after their end", async () => {
      const { devices } = db.store;
      const device = makeDevice();
      expect(await devices.create(device, many)).toBe("created");
      expect(await devices.get(device.id)).toEqual(device);
      expect(await devices.findByUserCode(device.userCode)).toEqual(device);
      await devices.polled(device.id, morning + 1);
      expect((await devices.get(device.id))?.polledAt).toBe(morning + 1);
      expect(await devices.create(makeDevice({ userCode: device.userCode }), many)).toBe("taken");
      expect(await devices.create(makeDevice({ createdAt: morning + 1000, expiresAt: morning + 2000 }), 1)).toBe(
        "created",
      );
      expect(await devices.get(device.id)).toBeUndefined();
    });

    it("has the network give way that has the most, its oldest that wait before those that are answered", async () => {
      const { devices } = db.store;
      const member = await newMember();
      // Ahead of all that the tests before have left.
      const at = (ms: number) => ({ createdAt: morning + 10_000 + ms, expiresAt: morning + 20_000 });
      const alone = makeDevice({ network: "198.51.100.7", ...at(0) });
      const flood = [1, 2, 3, 4, 5].map((ms) => makeDevice({ network: "203.0.113.9", ...at(ms) }));
      for (const device of [alone, ...flood]) expect(await devices.create(device, 6)).toBe("created");
      const [answered, oldest] = flood;
      if (answered === undefined || oldest === undefined) throw new Error("there is no flood");
      expect(await devices.answer(answered.id, by(member), at(6).createdAt, makeEvent())).toBe(true);
      const isKept = async ({ id }: DeviceCode): Promise<boolean> => (await devices.get(id)) !== undefined;
      const next = makeDevice({ network: "192.0.2.1", ...at(7) });
      expect(await devices.create(next, 6)).toBe("created");
      expect(await Promise.all([alone, answered, oldest, next].map(isKept))).toEqual([true, true, false, true]);
      for (let ms = 8; ms < 20; ms++) await devices.create(makeDevice({ network: "203.0.113.9", ...at(ms) }), 6);
      expect(await Promise.all([alone, answered, next].map(isKept))).toEqual([true, true, true]);
    });

    it("takes one answer, until the end", async () => {
      const { devices, audit } = db.store;
      const member = await newMember();
      const device = makeDevice({ createdAt: morning + 5000, expiresAt: morning + 6000 });
      await devices.create(device, many);
      const event = () => makeEvent({ organisationId: member.organisationId, action: "device.approve" });
      expect(await devices.answer(device.id, by(member), morning + 6000, event())).toBe(false);
      const answers = [by(member), by(member, "denied")].map((answer) =>
        devices.answer(device.id, answer, morning + 5000, event()),
      );
      expect((await Promise.all(answers)).filter(Boolean)).toEqual([true]);
      const { organisationId } = member;
      expect((await audit.list({ organisationId, offset: 0, limit: 9, action: "device.approve" })).total).toBe(1);
    });

    it("gives one token for an approval, and none for others", async () => {
      const { devices, members } = db.store;
      const member = await newMember();
      const [approved, denied] = [makeDevice(), makeDevice()];
      for (const device of [approved, denied]) await devices.create(device, many);
      await devices.answer(denied.id, by(member, "denied"), morning, makeEvent());
      expect(await devices.redeem(denied.id, tokenOf(member))).toBeUndefined();
      expect(await devices.redeem(approved.id, tokenOf(member))).toBeUndefined();
      await devices.answer(approved.id, by(member), morning, makeEvent());
      const tokens = [tokenOf(member), tokenOf(member)];
      const redeemed = await Promise.all(tokens.map((token) => devices.redeem(approved.id, token)));
      expect(redeemed.filter((found) => found !== undefined)).toEqual([member]);
      const kept = await Promise.all(tokens.map(({ id }) => members.findToken(id)));
      expect(kept.flatMap((found) => found?.token.name ?? [])).toEqual(["a device"]);
    });

    it("forgets what a member has approved when the member is removed", async () => {
      const { devices, members } = db.store;
      const member = await newMember();
      const device = makeDevice();
      await devices.create(device, many);
      await devices.answer(device.id, by(member), morning, makeEvent());
      expect(await members.remove(member, makeEvent())).toBe("done");
      expect(await devices.redeem(device.id, tokenOf(member))).toBeUndefined();
    });
  });
}
