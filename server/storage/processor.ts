import { readFileSync } from "node:fs";
import { unsupported } from "../domain/errors.ts";

/** The instructions that the builds of LanceDB for x64 use without asking, as Linux names them. */
const needed = ["avx2", "fma"];

/**
 * The instructions that LanceDB needs and this processor lacks. Empty where that is not known: on other systems than Linux,
 * and on other processors than x64, whose builds need none.
 */
export function missingInstructions(cpuInfo = readCpuInfo()): readonly string[] {
  const flags = /^flags\s*:(?<list>.*)$/mu.exec(cpuInfo)?.groups?.["list"]?.trim().split(/\s+/u);
  return flags === undefined ? [] : needed.filter((name) => !flags.includes(name));
}

/** Throws `unsupported` where LanceDB would end the process by an illegal instruction. */
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
