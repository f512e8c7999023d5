import type { Report } from "./measuring/report.ts";

export interface Benchmark {
  /** As the command line names it. */
  readonly name: string;
  readonly title: string;
  /** What is missing on this machine is skipped with a reason; what goes wrong is thrown. */
  run(bench: Bench): Promise<void>;
}

export interface Bench {
  /** Empty at first; removed when all benchmarks are done. */
  readonly folder: string;
  /** How long those run that measure over a number of pages; undefined: as each thinks fit. */
  readonly pages: number | undefined;
  readonly report: Report;
}
