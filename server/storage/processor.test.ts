import { expect, test } from "vitest";
import { checkProcessor, missingInstructions } from "./processor.ts";

const cpuInfo = (flags: string): string =>
  `processor\t: 0\nmodel name\t: Some CPU\nflags\t\t: ${flags}\nbogomips\t: 5000\n`;

test("a processor with AVX2 and FMA is accepted", () => {
  expect(missingInstructions(cpuInfo("fpu sse4_2 avx avx2 fma"))).toEqual([]);
  expect(() => checkProcessor([])).not.toThrow();
});

test("a processor without them is refused with a sentence", () => {
  const missing = missingInstructions(cpuInfo("fpu sse4_2 avx"));
  expect(missing).toEqual(["avx2", "fma"]);
  expect(() => checkProcessor(missing)).toThrow(/lacks AVX2 and FMA,.*: run drs on/iu);
  expect(missingInstructions(cpuInfo("fpu avx avx2"))).toEqual(["fma"]);
});

test("where nothing is known of the processor, nothing is refused", () => {
  expect(missingInstructions("")).toEqual([]);
  expect(missingInstructions("Processor : ARMv8\nFeatures : fp asimd\n")).toEqual([]);
});
