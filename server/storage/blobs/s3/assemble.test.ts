import * as fc from "fast-check";
import { expect, it } from "vitest";
import { planAssembly } from "./assemble.ts";
import { maxCopiedBytes, minPartBytes } from "./upload.ts";

const mib = 2 ** 20;

it("copies what S3 lets be copied, and sends what is too small together with what follows it", () => {
  expect(planAssembly([16 * mib, 16 * mib, 3])).toEqual([
    { kind: "copy", source: 0 },
    { kind: "copy", source: 1 },
    { kind: "copy", source: 2 },
  ]);
  expect(planAssembly([3, 16 * mib, 0, 6 * mib])).toEqual([
    { kind: "send", sources: [0, 1], size: 16 * mib + 3 },
    { kind: "copy", source: 3 },
  ]);
  expect(planAssembly([0, 0])).toEqual([]);
  expect(planAssembly([maxCopiedBytes + 1])).toMatchObject([{ kind: "send" }]);
});

it("takes every source once and in order, and makes no part too small but the last", () => {
  const sizes = fc.array(fc.oneof(fc.constant(0), fc.nat(minPartBytes), fc.nat(4 * minPartBytes)), { maxLength: 30 });
  fc.assert(
    fc.property(sizes, (all) => {
      const steps = planAssembly(all);
      const taken = steps.flatMap((step) => (step.kind === "copy" ? [step.source] : step.sources));
      expect(taken).toEqual([...all.keys()].filter((source) => (all[source] ?? 0) > 0));
      for (const step of steps.slice(0, -1)) {
        expect(step.kind === "copy" ? all[step.source] : step.size).toBeGreaterThanOrEqual(minPartBytes);
      }
    }),
  );
});
