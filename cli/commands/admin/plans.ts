import type { Command } from "commander";
import type { Plan, PlanLimits } from "@drs/client";
import { printPage } from "../../output/output.ts";
import type { Column } from "../../output/table.ts";
import { formatSize, parseSize } from "../../plans/size.ts";
import { type ClientFlags, type Context, openSession, withClient, withExamples } from "../command.ts";
import { daysUpTo, maxRetentionDays, wholeNumber } from "../flag-values.ts";

const limited = (limit: number | null, show: (limit: number) => string = String): string =>
  limit === null ? "–" : show(limit);

const columns: readonly Column<Plan>[] = [
  { title: "PLAN", value: ({ name }) => name },
  { title: "UPLOAD", align: "right", value: ({ limits }) => limited(limits.maxUploadBytes, formatSize) },
  { title: "STORAGE", align: "right", value: ({ limits }) => limited(limits.maxStorageBytes, formatSize) },
  { title: "KEPT", align: "right", value: ({ limits }) => limited(limits.maxRetentionDays, (days) => `${days} d`) },
  { title: "REQUESTS/MIN", align: "right", value: ({ limits }) => limited(limits.requestsPerMinute) },
  { title: "JOBS", align: "right", value: ({ limits }) => limited(limits.concurrentJobs) },
  { title: "PAGES", align: "right", value: ({ limits }) => limited(limits.maxPages) },
];

interface LimitFlags {
  readonly maxUpload?: number;
  readonly maxStorage?: number;
  readonly maxRetentionDays?: number;
  readonly requestsPerMinute?: number;
  readonly concurrentJobs?: number;
  readonly maxPages?: number;
}

/** Reads a count, limited to 32 bits by the protocol. */
const count = wholeNumber(1, 4_294_967_295);

export function definePlans(command: Command, context: Context): void {
  withExamples(withClient(command.command("list").description("list plans with their limits")), [
    ["drs plans list", "all for the operator of the service, otherwise your organisation's"],
  ]).action(async (flags: ClientFlags) => {
    const { drs, output, io } = await openSession(flags, context);
    const data = await drs.plans.list({ signal: io.signal });
    printPage(output, { total: data.length, offset: 0, limit: data.length, data }, columns, "no plans");
  });

  withExamples(
    withClient(
      command
        .command("set")
        .description("create a plan, or replace all limits of an existing one")
        .argument("<plan>", "letters, digits, dot, dash and underscore"),
    ),
    [
      ["drs plans set team --max-storage 10GB --max-pages 5000", "a limit that is left out does not apply"],
      ["drs orgs update org_01K0 --plan team", "assigns it to an organisation"],
    ],
  )
    .option("--max-upload <size>", "largest document, such as 500MB", parseSize)
    .option("--max-storage <size>", "storage of all workspaces together, such as 10GB", parseSize)
    .option("--max-retention-days <days>", "longest retention of a dataset", daysUpTo(maxRetentionDays))
    .option("--requests-per-minute <n>", "rate limit of one workspace", count)
    .option("--concurrent-jobs <n>", "jobs that run at the same time", count)
    .option("--max-pages <n>", "maximum pages of one document", count)
    .addHelpText(
      "after",
      "\nOnly for the operator of the service. The plan unlimited cannot be changed. Storage is what drs usage shows:\ndocuments, the PDFs that Office documents were converted to, parts of uploads.",
    )
    .action(async (name: string, flags: ClientFlags & LimitFlags) => {
      const { drs, output, io } = await openSession(flags, context);
      const plan = await drs.plans.set(name, limitsOf(flags), { signal: io.signal });
      output.result(plan, () => [`plan ${plan.name} is set`]);
    });

  withExamples(
    withClient(
      command
        .command("delete")
        .description("delete a plan that no organisation uses")
        .argument("<plan>", "its name, as in the list"),
    ),
    [["drs plans delete team", "drs orgs list shows who uses it"]],
  ).action(async (name: string, flags: ClientFlags) => {
    const { drs, output, io } = await openSession(flags, context);
    await drs.plans.delete(name, { signal: io.signal });
    output.result({ name, deleted: true }, () => [`plan ${name} is deleted`]);
  });
}

function limitsOf(flags: LimitFlags): Partial<PlanLimits> {
  const { maxUpload, maxStorage, maxRetentionDays, requestsPerMinute, concurrentJobs, maxPages } = flags;
  return {
    maxUploadBytes: maxUpload ?? null,
    maxStorageBytes: maxStorage ?? null,
    maxRetentionDays: maxRetentionDays ?? null,
    requestsPerMinute: requestsPerMinute ?? null,
    concurrentJobs: concurrentJobs ?? null,
    maxPages: maxPages ?? null,
  };
}
