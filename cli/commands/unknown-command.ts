import type { Command } from "commander";
import { nearestName } from "@drs/server/settings";
import { type CliError, usageError } from "../failures.ts";

/**
 * Words for the same action in different programs. A user who types one of them wants the one that the group has.
 */
const synonyms: readonly (readonly string[])[] = [
  ["list", "ls", "all", "show"],
  ["get", "show", "info", "describe", "status", "cat"],
  ["delete", "remove", "revoke", "rm", "del", "end", "abort", "cancel", "prune", "stop"],
  ["create", "add", "invite", "set", "new", "make"],
  ["update", "role", "edit", "change", "rename", "set"],
  ["watch", "follow", "wait"],
];

/** The commands that common words stand for. */
const meant: Readonly<Record<string, string>> = {
  version: "drs --version",
  ls: "drs datasets list",
  list: "drs datasets list",
  documents: "drs datasets list",
  status: "drs doctor, drs jobs list or drs top",
  health: "drs doctor",
  rm: "drs datasets delete",
  delete: "drs datasets delete",
  remove: "drs datasets delete",
  get: "drs pages get",
  show: "drs pages get",
  find: "drs search",
  query: "drs search",
  ask: "drs search",
  add: "drs upload",
  put: "drs upload",
  start: "drs serve",
  server: "drs serve",
  run: "drs serve",
  console: "drs open",
  web: "drs open",
  users: "drs members",
  config: "drs profiles",
  signin: "drs login",
};

/** Rejects an unknown command of the group and suggests the most likely one. */
export function refuseUnknown(group: Command): void {
  group.on("command:*", ([word = ""]: readonly string[]) => {
    throw unknownCommand(group, word);
  });
}

function unknownCommand(group: Command, word: string): CliError {
  const names = group.commands.map((command) => command.name());
  const path = pathOf(group);
  const inGroup = synonyms.filter((group) => group.includes(word)).flat();
  const likely =
    (group.parent === null ? meant[word] : undefined) ??
    [names.find((name) => inGroup.includes(name)) ?? nearestName(word, names)]
      .filter((name) => name !== undefined)
      .map((name) => `${path} ${name}`)[0];
  const help = `${path} --help shows all commands`;
  return usageError(
    `unknown command "${path} ${word}"`,
    likely === undefined ? help : `did you mean ${likely}? ${help}`,
  );
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
