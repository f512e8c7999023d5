import type { Command } from "commander";
import {
  localProfile,
  profileNamed,
  type Profiles,
  readProfiles,
  withoutProfile,
  writeProfiles,
} from "../../connection/profiles.ts";
import { createOutput, type Output } from "../../output/output.ts";
import { type Column, tableLines } from "../../output/table.ts";
import { type Context, type JsonFlag, withExamples, withJson } from "../command.ts";

interface Row {
  readonly profile: string;
  /** Null for the data folder of this machine. */
  readonly server: string | null;
  readonly current: boolean;
}

const columns: readonly Column<Row>[] = [
  { title: "", value: ({ current }) => (current ? "*" : "") },
  { title: "PROFILE", value: ({ profile }) => profile },
  { title: "SERVER", value: ({ server }) => server ?? "the data folder of this machine" },
];

export function defineProfiles(command: Command, context: Context): void {
  const { io } = context;
  const { env } = io;
  const outputOf = (flags: JsonFlag): Output => createOutput(io, flags.json === true);

  withExamples(withJson(command.command("list").description("list the servers that you have logged in to")), [
    ["drs profiles list", "marks the one in use with a star; keys are not shown"],
  ]).action(async (flags: JsonFlag) => {
    const rows = rowsOf(await readProfiles(env));
    outputOf(flags).result({ total: rows.length, data: rows }, () => tableLines(rows, columns));
  });

  withExamples(
    withJson(
      command
        .command("use")
        .description("choose the server for commands that name none")
        .argument("<profile>", `its name; ${localProfile} means the data folder of this machine`),
    ),
    [
      ["drs profiles use lab", "from now on"],
      [`drs profiles use ${localProfile}`, "back to this machine"],
      ['drs search "…" --profile lab', "just this once"],
    ],
  ).action(async (name: string, flags: JsonFlag) => {
    const profiles = await readProfiles(env);
    const server = name === localProfile ? null : profileNamed(profiles, name).server;
    await writeProfiles(env, { ...profiles, current: server === null ? undefined : name });
    outputOf(flags).result({ profile: name, server }, () => [`${name} is in use: ${server ?? "this machine"}`]);
  });

  withExamples(
    withJson(
      command
        .command("remove")
        .description("remove a server and its key")
        .argument("<profile>", "its name, as in the list"),
    ),
    [["drs profiles remove lab", "its key stays valid; drs logout also ends a personal token"]],
  ).action(async (name: string, flags: JsonFlag) => {
    const profiles = await readProfiles(env);
    const { server } = profileNamed(profiles, name);
    await writeProfiles(env, withoutProfile(profiles, name));
    outputOf(flags).result({ profile: name, server }, () => [`${name} is removed`]);
  });
}

function rowsOf({ current, byName }: Profiles): Row[] {
  const local = { profile: localProfile, server: null, current: current === undefined };
  return [local, ...[...byName].map(([profile, { server }]) => ({ profile, server, current: profile === current }))];
}
