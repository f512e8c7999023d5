import type { Command } from "commander";
import type { Identity } from "@drs/client";
import { printable } from "../../output/printable.ts";
import { type ClientFlags, type Context, openSession, withClient, withExamples } from "../command.ts";

export function defineWhoami(command: Command, context: Context): void {
  withExamples(withClient(command), [
    ["drs whoami", "your identity and permissions"],
    ["drs whoami --json", "for a program"],
  ]).action(async (flags: ClientFlags) => {
    const { drs, output, io } = await openSession(flags, context);
    const identity = await drs.me({ signal: io.signal });
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
  name,
  organisationName,
  workspaceName,
}: Identity): string[] {
  return [
    memberId === null
      ? `key           ${named(name, keyId ?? "–")}`
      : `member        ${named(name, memberId)}, ${role ?? "–"}`,
    ...(deviceName === null ? [] : [`token of      ${printable(deviceName)}`]),
    `organisation  ${named(organisationName, organisationId)}${isOperator ? ", which runs the service" : ""}`,
    `workspace     ${named(workspaceName, workspaceId)}`,
    `may           ${scopes.join(", ")}`,
  ];
}

/** Returns a name with its id, or only the id: keys may have no name, and older servers do not send it. */
export function named(name: string, id: string): string {
  return name === "" ? id : `${printable(name)} (${id})`;
}
