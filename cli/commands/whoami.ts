import type { Command } from "commander";
import type { Identity } from "@drs/client";
import { printable } from "../output/printable.ts";
import { type ClientFlags, type Context, openSession, withClient, withExamples } from "./command.ts";

export function defineWhoami(command: Command, context: Context): void {
  withExamples(withClient(command), [
    ["drs whoami", "whom the server takes you for, and what you may do"],
    ["drs whoami --json", "for a program"],
  ]).action(async (flags: ClientFlags) => {
    const { drs, output, world } = await openSession(flags, context);
    const identity = await drs.me({ signal: world.signal });
    output.result(identity, () => linesOf(identity));
  });
}

function linesOf({
  organisationId,
  workspaceId,
  keyId,
  memberId,
  scopes,
  role,
  isOperator,
  deviceName,
}: Identity): string[] {
  return [
    memberId === null ? `key           ${keyId ?? "–"}` : `member        ${memberId} (${role ?? "–"})`,
    ...(deviceName === null ? [] : [`token of      ${printable(deviceName)}`]),
    `organisation  ${organisationId}${isOperator ? ", which runs the service" : ""}`,
    `workspace     ${workspaceId}`,
    `may           ${scopes.join(", ")}`,
  ];
}
