import type { Command } from "commander";
import type { ApiKey, KeyScope } from "@drs/client";
import { formatTime } from "../output/amounts.ts";
import { printPage } from "../output/output.ts";
import type { Column } from "../output/table.ts";
import { choices, type ClientFlags, type Context, openSession, withClient, withExamples } from "./command.ts";

const scopes: readonly KeyScope[] = ["read", "write", "search", "admin"];

const columns: readonly Column<ApiKey>[] = [
  { title: "KEY", value: ({ id }) => id },
  { title: "NAME", maxColumns: 32, value: ({ name }) => name },
  { title: "WORKSPACE", value: ({ workspaceId }) => workspaceId },
  { title: "SCOPES", value: (key) => key.scopes.join(",") },
  { title: "CREATED", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "LAST USED", value: ({ lastUsedAt }) => formatTime(lastUsedAt) },
  { title: "REVOKED", value: ({ revokedAt }) => formatTime(revokedAt) },
];

export function defineKeys(command: Command, context: Context): void {
  withExamples(withClient(command.command("create").description("create an API key; it is shown this once")), [
    ["drs keys create --workspace default --name ci --json", '{"id":…,"key":…}'],
    ["drs keys create --scopes search", "a key that can do nothing but search"],
  ])
    .option("--workspace <workspace>", "id or name of the workspace (default: that of the key in use)")
    .option("--name <name>", "what the key is for")
    .option("--scopes <list>", "with commas: read, write, search, admin (default: read,write,search)", choices(scopes))
    .action(async (flags: ClientFlags & { workspace?: string; name?: string; scopes?: readonly KeyScope[] }) => {
      const { drs, output, world } = await openSession(flags, context);
      const { workspace, name, scopes: wanted } = flags;
      const created = await drs.keys.create({ workspace, name, scopes: wanted }, { signal: world.signal });
      const { id, key, ...rest } = created;
      output.result({ id, key, ...rest }, () => [key]);
      if (!output.json)
        output.note(`key ${id} for ${rest.workspaceId} (${rest.scopes.join(", ")}); it is not shown again`);
    });

  withExamples(withClient(command.command("list").description("list API keys, without the keys themselves")), [
    ["drs keys list --workspace default", "the keys of one workspace"],
  ])
    .option("--workspace <workspace>", "only keys of this workspace, by id or name")
    .action(async (flags: ClientFlags & { workspace?: string }) => {
      const { drs, output, world } = await openSession(flags, context);
      const data = await drs.keys.list({ workspace: flags.workspace }, { signal: world.signal });
      printPage(output, { total: data.length, offset: 0, limit: data.length, data }, columns, "no keys");
    });

  withExamples(
    withClient(
      command.command("revoke").description("revoke an API key for good").argument("<key>", "key id, as in the list"),
    ),
    [["drs keys revoke 01K0ABCD", "from now on it is refused"]],
  ).action(async (id: string, flags: ClientFlags) => {
    const { drs, output, world } = await openSession(flags, context);
    const key = await drs.keys.revoke(id, { signal: world.signal });
    output.result(key, () => [`${key.id} is revoked`]);
  });
}
