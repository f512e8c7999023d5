import type { Verdict } from "@drs/server";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { count } from "../output/amounts.ts";
import type { Output } from "../output/output.ts";
import { printable } from "../output/printable.ts";

const marks: Readonly<Record<Verdict["remedy"], string>> = { repaired: "✓", found: "!", none: "✗" };

/** Prints findings as they come, as lines or JSON, and a summary. Resolves with the exit code. */
export async function reportVerdicts(output: Output, verdicts: AsyncIterable<Verdict>): Promise<ExitCode> {
  const { sentenceOf } = await import("@drs/server");
  const tally = { found: 0, repaired: 0, none: 0 };
  for await (const verdict of verdicts) {
    tally[verdict.remedy] += 1;
    const message = sentenceOf(verdict);
    if (output.json) output.event({ ...verdict.finding, remedy: verdict.remedy, message });
    else output.line(`${marks[verdict.remedy]} ${printable(message)}`);
  }
  const { found, repaired, none } = tally;
  if (!output.json) {
    if (found + repaired + none === 0) output.note("there is no missing or orphaned data");
    if (repaired > 0) output.note(`${count(repaired, "finding")} repaired, or being rebuilt by the workers`);
    if (found > 0) output.note(`${count(found, "finding")} can be repaired: drs verify --repair`);
    if (none > 0) output.note(`${count(none, "finding")} cannot be repaired from the stored data`);
  }
  return found + none > 0 ? exitCodes.failed : exitCodes.ok;
}
