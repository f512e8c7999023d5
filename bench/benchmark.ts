import type { Report } from "./measuring/report.ts";

export interface Benchmark {
  /** The name on the command line. */
  readonly name: string;
  readonly title: string;
  /** Reports measurements that this machine cannot make as skipped, with the reason. Throws on other failures. */
  run(bench: Bench): Promise<void>;
}

export interface Bench {
  /** Empty at first; removed when all benchmarks are done. */
  readonly folder: string;
  /** The number of pages, for benchmarks that depend on it; undefined if each uses its own default. */
  readonly pages: number | undefined;
  readonly report: Report;
}
