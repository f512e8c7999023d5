import type { Command } from "commander";
import type { DailyUsage, Identity, PlanLimits, Usage } from "@drs/client";
import { count, sparkline } from "../../output/amounts.ts";
import { roundedSize } from "../../plans/size.ts";
import type { Style } from "../../terminal/style.ts";
import { type ClientFlags, type Context, openSession, withClient, withExamples } from "../command.ts";
import { wholeNumber } from "../flag-values.ts";
import { named } from "../account/whoami.ts";

/** The service's limit, days. */
const maxDays = 400;

export function defineUsage(command: Command, context: Context): void {
  withClient(command).option(
    "--days <number>",
    `also the storage on this many days, today included (at most ${maxDays})`,
    wholeNumber(1, maxDays),
  );
  withExamples(command, [
    ["drs usage", "usage of your workspace, and limits of your organisation's plan"],
    ["drs usage --days 30", "also the growth of documents, pages and bytes"],
    ["drs usage --json", "the same for a program, sizes in bytes"],
  ])
    .addHelpText(
      "after",
      "\nThe limit of storage is for all workspaces of the organisation together. Requests are counted\nwith a delay of about ten seconds. Days end at midnight UTC; there is no data for days on which\nthe service did not run, or did not record usage yet.",
    )
    .action(async (flags: ClientFlags & { readonly days?: number }) => {
      const { drs, output, io } = await openSession(flags, context);
      const { signal } = io;
      const [usage, identity] = await Promise.all([
        drs.usage({ signal, historyDays: flags.days ?? 0 }),
        output.json ? undefined : drs.me({ signal }),
      ]);
      output.result(usage, () => [
        ...linesOf(usage, identity, output.style),
        ...historyLines(usage.history, flags.days ?? 0),
      ]);
    });
}

function linesOf(usage: Usage, identity: Identity | undefined, style: Style): string[] {
  const { workspaceId, organisationId, stored, documents, pages, requestsThisMonth, plan, limits } = usage;
  const parts = [
    `${roundedSize(stored.originals)} of originals`,
    ...(stored.converted === 0 ? [] : [`${roundedSize(stored.converted)} of converted documents`]),
    ...(stored.parts === 0 ? [] : [`${roundedSize(stored.parts)} of uploads that have not ended`]),
  ];
  const rows: readonly (readonly [string, string])[] = [
    ["workspace", named(identity?.workspaceName ?? "", workspaceId)],
    ["documents", `${documents}, with ${count(pages, "page")}`],
    ["stored", parts.length === 1 ? roundedSize(stored.total) : `${roundedSize(stored.total)}: ${parts.join(", ")}`],
    ["requests", `${requestsThisMonth} this month`],
    ["organisation", named(identity?.organisationName ?? "", organisationId)],
    ["storage", storageText(usage, style)],
    ["plan", plan],
    ...limitRows(limits),
  ];
  return rows.map(([name, value]) => `${name.padEnd(14)}${value}`);
}

/** Values from this share of their limit on are coloured. */
const warnShare = 0.8;

function storageText({ organisationStoredBytes, limits }: Usage, style: Style): string {
  const stored = roundedSize(organisationStoredBytes);
  if (limits.maxStorageBytes === null) return `${stored}, no limit`;
  const share = organisationStoredBytes / limits.maxStorageBytes;
  const text = `${stored} of ${roundedSize(limits.maxStorageBytes)} (${Math.floor(share * 100)} %)`;
  if (share < warnShare) return text;
  return style.colour(share < 1 ? "yellow" : "red", text);
}

function limitRows(limits: PlanLimits): (readonly [string, string])[] {
  const { maxUploadBytes, maxRetentionDays, requestsPerMinute, concurrentJobs, maxPages } = limits;
  const row = (limit: number | null, say: (limit: number) => string): (readonly [string, string])[] =>
    limit === null ? [] : [["  at most", say(limit)]];
  return [
    ...row(maxUploadBytes, (bytes) => `${roundedSize(bytes)} a document`),
    ...row(maxPages, (max) => `${count(max, "page")} a document`),
    ...row(maxRetentionDays, (days) => `${count(days, "day")} kept`),
    ...row(requestsPerMinute, (max) => `${count(max, "request")} a minute of all workspaces`),
    ...row(concurrentJobs, (max) => `${count(max, "job")} at a time`),
  ];
}

const dayMs = 86_400_000;

/**
 * Draws the amounts stored on the last days: one line per value, one character per day, and `·` for days without data.
 */
export function historyLines(history: readonly DailyUsage[], days: number): string[] {
  const [first, last] = [history[0], history.at(-1)];
  if (first === undefined || last === undefined) return [];
  const today = Date.parse(last.day);
  const shown = Array.from({ length: days }, (_, index) =>
    new Date(today - (days - 1 - index) * dayMs).toISOString().slice(0, 10),
  );
  const byDay = new Map(history.map((day) => [day.day, day]));
  const line = (name: string, valueOf: (day: DailyUsage) => number, say: (value: number) => string): string => {
    const values = shown.map((day) => {
      const known = byDay.get(day);
      return known && valueOf(known);
    });
    return `${name.padEnd(14)}${sparkline(values)}  ${say(valueOf(first))} to ${say(valueOf(last))}`;
  };
  return [
    "",
    `${shown[0]} to ${last.day} (UTC)${first.day === shown[0] ? "" : `, known from ${first.day} on`}`,
    line("  stored", ({ storedBytes }) => storedBytes, roundedSize),
    line("  documents", ({ documents }) => documents, String),
    line(
      "  pages",
      ({ pages }) => pages,
      (pages) => count(pages, "page"),
    ),
  ];
}
