import { describe, expect, it } from "vitest";
import type { OpenMetadataFixture } from "../testing/metadata.ts";
import { now, race, rounds, times, useRacers } from "./racing.ts";

/** Packs that are put to use and leave, where calls meet. */
export function packRaces(open: OpenMetadataFixture): void {
  describe("packs whose calls meet", () => {
    const db = useRacers(open);

    it("have one of them in use, also at the first start, and it is not one that leaves", async () => {
      for (let round = 0; round < rounds; round++) {
        const packs = times(3, (index) => ({ id: `pack-${round}-${index}`, model: "m", manifest: "{}" }));
        const answers = await race(
          round,
          [0, 1, 2, 0].map((which, index) => async () => {
            const pack = packs[which];
            return pack && db.at(index).packs.use(pack, now);
          }),
        );
        expect(answers).toEqual(times(4, () => "in use"));
        const idle = (await db.store.packs.list()).filter(({ isInUse }) => !isInUse);
        const [first] = idle;
        if (first === undefined) throw new Error("unreachable");
        const { isInUse: _, ...again } = first;
        const [used, ...left] = await race(round, [
          () => db.at(0).packs.use(again, now),
          ...times(3, (index) => () => db.at(index + 1).packs.beginRetirement()),
        ]);
        const known = await db.store.packs.list();
        const [inUse, ...others] = known.filter((pack) => pack.isInUse);
        expect(others).toEqual([]);
        expect(left).not.toContain(inUse?.id);
        expect(inUse?.id === again.id).toBe(used === "in use");
        expect(left.includes(again.id)).toBe(used === "leaving");
        for (const id of left) if (id !== undefined) await db.store.packs.forget(id);
      }
    });
  });
}
