import type { Command } from "commander";
import type { AuditEvent, AuditFilter } from "@drs/client";
import { formatTime } from "../../output/amounts.ts";
import type { Column } from "../../output/table.ts";
import { type ClientFlags, type Context, openSession, withClient, withExamples } from "../command.ts";
import { timeIn } from "../flag-values.ts";
import { type ListFlags, printList, withList } from "../list.ts";

const columns: readonly Column<AuditEvent>[] = [
  { title: "WHEN", value: ({ at }) => formatTime(at) },
  { title: "ACTION", value: ({ action }) => action },
  { title: "ON", value: ({ target }) => target },
  { title: "BY", rank: 2, value: ({ actor }) => actor },
  { title: "WORKSPACE", rank: 1, value: ({ workspaceId }) => workspaceId ?? "–" },
  { title: "DETAILS", minColumns: 12, value: ({ details }) => details },
];

export function defineAudit(command: Command, context: Context): void {
  withExamples(withList(withClient(command)), [
    ["drs audit", "the latest administrative actions, deletions and new versions in the organisation"],
    ["drs audit --action key.", "actions on keys"],
    ["drs audit --actor 'member mem_01K0' --since 2026-11-01", "actions of that member since then"],
    ["drs audit --all --json", "everything, one line of JSON each"],
  ])
    .option("--action <prefix>", "only actions with this prefix, such as key. or dataset.delete")
    .option("--actor <who>", "only actions by: 'member mem_…', 'key …' or service, spelled as in the list")
    .option("--since <time>", "only from this time on, such as 2026-11-01 (UTC) or 2026-11-01T12:00:00+01:00", timeIn)
    .option("--until <time>", "only before this time", timeIn)
    .addHelpText("after", "\nFor owners and for keys with the admin scope.")
    .action(async (flags: ClientFlags & ListFlags & AuditFilter) => {
      const { drs, output, io } = await openSession(flags, context);
      const { signal } = io;
      const { action, actor, since, until } = flags;
      const wanted = { action, actor, since, until };
      await printList(
        output,
        flags,
        {
          page: (query) => drs.audit.page({ ...wanted, ...query }, { signal }),
          entries: (query) => drs.audit.list({ ...wanted, ...query }, { signal }),
        },
        columns,
        Object.values(wanted).every((value) => value === undefined)
          ? "nothing has been done yet"
          : "nothing of that kind has been done",
      );
    });
}
