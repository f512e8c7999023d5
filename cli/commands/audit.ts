import type { Command } from "commander";
import type { AuditEvent } from "@drs/client";
import { formatTime } from "../output/amounts.ts";
import type { Column } from "../output/table.ts";
import { type ClientFlags, type Context, openSession, withClient, withExamples } from "./command.ts";
import { type ListFlags, printList, withList } from "./list.ts";

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
    ["drs audit", "the last administrative acts and deletions in the organisation"],
    ["drs audit --action key.", "what was done to keys"],
    ["drs audit --all --json", "everything, as a line of JSON each"],
  ])
    .option("--action <prefix>", "only actions that begin so, such as key. or dataset.delete")
    .addHelpText("after", "\nFor owners and for keys with the admin scope.")
    .action(async (flags: ClientFlags & ListFlags & { action?: string }) => {
      const { drs, output, world } = await openSession(flags, context);
      const { signal } = world;
      const { action } = flags;
      await printList(
        output,
        flags,
        {
          page: (query) => drs.audit.page({ action, ...query }, { signal }),
          entries: (query) => drs.audit.list({ action, ...query }, { signal }),
        },
        columns,
        action === undefined ? "nothing has been done yet" : "nothing of that kind has been done",
      );
    });
}
