import type { Command } from "commander";
import type { Workspace } from "@drs/client";
import { formatTime } from "../../output/amounts.ts";
import { printPage } from "../../output/output.ts";
import type { Column } from "../../output/table.ts";
import { type ClientFlags, type Context, openSession, withClient, withExamples } from "../command.ts";

const columns: readonly Column<Workspace>[] = [
  { title: "WORKSPACE", value: ({ id }) => id },
  { title: "NAME", value: ({ name }) => name },
  { title: "CREATED", value: ({ createdAt }) => formatTime(createdAt) },
];

export function defineWorkspaces(command: Command, context: Context): void {
  withExamples(withClient(command.command("list").description("list the workspaces of the organisation")), [
    ["drs workspaces list", "needs a key with the admin scope, such as the first one of the server"],
  ]).action(async (flags: ClientFlags) => {
    const { drs, output, io } = await openSession(flags, context);
    const data = await drs.workspaces.list({ signal: io.signal });
    printPage(output, { total: data.length, offset: 0, limit: data.length, data }, columns, "no workspaces");
  });

  withExamples(
    withClient(
      command
        .command("create")
        .description("create a workspace")
        .argument("<name>", "letters, digits, dot, dash and underscore"),
    ),
    [["drs workspaces create research", "then: drs keys create --workspace research"]],
  ).action(async (name: string, flags: ClientFlags) => {
    const { drs, output, io } = await openSession(flags, context);
    const workspace = await drs.workspaces.create(name, { signal: io.signal });
    output.result(workspace, () => [workspace.id]);
    if (!output.json) output.note(`create a key for it with: drs keys create --workspace ${workspace.name}`);
  });
}
