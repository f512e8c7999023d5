import type { Command } from "commander";
import type { Organisation, Workspace } from "@drs/client";
import { usageError } from "../../failures.ts";
import { formatTime } from "../../output/amounts.ts";
import { anOrganisation, idNamed } from "../../names/find-named.ts";
import { printPage } from "../../output/output.ts";
import { printable } from "../../output/printable.ts";
import type { Column } from "../../output/table.ts";
import { type ClientFlags, type Context, openSession, withClient, withExamples } from "../command.ts";

const organisationColumns: readonly Column<Organisation>[] = [
  { title: "ORGANISATION", value: ({ id }) => id },
  { title: "NAME", minColumns: 12, value: ({ name }) => name },
  { title: "PLAN", value: ({ plan }) => plan },
  { title: "CREATED", value: ({ createdAt }) => formatTime(createdAt) },
];

export function defineOrgs(command: Command, context: Context): void {
  withExamples(withClient(command.command("list").description("list the organisations that you can see")), [
    ["drs orgs list", "all for the operator of the service, otherwise your own"],
  ]).action(async (flags: ClientFlags) => {
    const { drs, output, io } = await openSession(flags, context);
    const data = await drs.organisations.list({ signal: io.signal });
    printPage(
      output,
      { total: data.length, offset: 0, limit: data.length, data },
      organisationColumns,
      "no organisations",
    );
  });

  withExamples(
    withClient(
      command
        .command("create")
        .description("create an organisation with a workspace and an admin key, which is shown only once")
        .argument("<name>", "its name"),
    ),
    [
      ['drs orgs create "House of Bats" --plan team', "only for the operator of the service"],
      ["drs orgs create Bats --json", '{"organisation":{"id":…},"workspaceId":…,"apiKey":…}'],
    ],
  )
    .option("--plan <plan>", "name of its plan (default: unlimited)")
    .action(async (name: string, flags: ClientFlags & { plan?: string }) => {
      const { drs, output, io } = await openSession(flags, context);
      const created = await drs.organisations.create({ name, plan: flags.plan }, { signal: io.signal });
      output.result(created, () => [created.apiKey]);
      const { id, plan } = created.organisation;
      if (!output.json) output.note(`admin key of ${id} (plan ${printable(plan)}); it is not shown again`);
    });

  withExamples(
    withClient(
      command
        .command("update")
        .description("rename an organisation, or put it on another plan")
        .argument("<organisation>", "its name, or organisation id, org_…"),
    ),
    [
      ['drs orgs update "House of Bats" --plan team', "only for the operator of the service"],
      ["drs orgs update org_01K0 --name Bats", "also allowed for the organisation itself"],
    ],
  )
    .option("--name <name>", "its new name")
    .option("--plan <plan>", "name of its new plan")
    .action(async (word: string, { name, plan, ...flags }: ClientFlags & { name?: string; plan?: string }) => {
      if (name === undefined && plan === undefined)
        throw usageError("there is nothing to change", "use --name or --plan");
      const { drs, output, io } = await openSession(flags, context);
      const id = await idNamed(anOrganisation, drs, word, io.signal);
      const changed = await drs.organisations.update(id, { name, plan }, { signal: io.signal });
      output.result(changed, () => [`${changed.id} is ${printable(changed.name)} on plan ${printable(changed.plan)}`]);
    });
}

const workspaceColumns: readonly Column<Workspace>[] = [
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
    printPage(output, { total: data.length, offset: 0, limit: data.length, data }, workspaceColumns, "no workspaces");
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
