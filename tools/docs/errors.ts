import { exitCodes } from "../../cli/exit-codes.ts";
import { errorReasons } from "../../server/domain/errors.ts";
import { codeName, wireErrors } from "../../server/transport/errors.ts";
import { code, table } from "./markdown.ts";

const exits: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: "everything succeeded",
  failed: "the command failed",
  usage: "the command line is not valid",
  partly: "some of the files, or some of their pages, failed",
  auth: "no API key, an unknown one, or one that may not do this",
  interrupted: "interrupted, as by Ctrl-C",
};

/** Returns tables of the reasons of errors on each protocol, and of the exit codes of the command line. */
export function errorsReference(): string {
  const rows = Object.entries(errorReasons).map(([reason, { kind, meaning, next }]) => {
    const { status, code: connect } = wireErrors[kind];
    return [code(reason), String(status), code(codeName(connect)), meaning, next];
  });
  const isExit = (name: string): name is keyof typeof exitCodes => Object.hasOwn(exits, name);
  const exitRows = Object.keys(exitCodes)
    .filter(isExit)
    .map((name) => [String(exitCodes[name]), exits[name]]);
  return [
    "## Reasons",
    table(["reason", "HTTP", "code", "meaning", "next step"], rows),
    "## Exit codes of the command line",
    table(["code", "meaning"], exitRows),
  ].join("\n\n");
}
