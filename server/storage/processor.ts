import { readFileSync } from "node:fs";
import { unsupported } from "../domain/errors.ts";

/** Instructions that the x64 builds of LanceDB use without checking for them, under their Linux names. */
const needed = ["avx2", "fma"];

/**
 * Returns the instructions that LanceDB needs and this processor lacks. Returns none if this is not known (on other
 * systems than Linux) or not needed (on other processors than x64).
 */
export function missingInstructions(cpuInfo = readCpuInfo()): readonly string[] {
  const flags = /^flags\s*:(?<list>.*)$/mu.exec(cpuInfo)?.groups?.["list"]?.trim().split(/\s+/u);
  return flags === undefined ? [] : needed.filter((name) => !flags.includes(name));
}

/** Throws `unsupported` if LanceDB would end the process with an illegal instruction. */
export function checkProcessor(missing = missingInstructions()): void {
  if (missing.length > 0) throw unsupported(`${lackOf(missing)}: ${processorAdvice}`);
}

export const lackOf = (missing: readonly string[]): string =>
  `this processor lacks ${missing.map((name) => name.toUpperCase()).join(" and ")}, which the vector index (LanceDB) needs`;

export const processorAdvice =
  "run drs on a processor of 2013 or later, or let the virtual machine pass its host's processor on (such as qemu -cpu host)";

function readCpuInfo(): string {
  if (process.platform !== "linux" || process.arch !== "x64") return "";
  try {
    return readFileSync("/proc/cpuinfo", "utf8");
  } catch {
    return "";
  }
}
