import type { Report } from "./measuring/report.ts";

export interface Benchmark {
  /** The name on the command line. */
  readonly name: string;
  readonly title: string;
  /** Skips, with a reason, measurements for which this machine lacks something. Throws other failures. */
  run(bench: Bench): Promise<void>;
}

export interface Bench {
  /** Empty at first; removed when all benchmarks are done. */
  readonly folder: string;
  /** The number of pages of benchmarks that measure over pages; undefined for the default of each. */
  readonly pages: number | undefined;
  readonly report: Report;
}
