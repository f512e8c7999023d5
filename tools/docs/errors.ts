import { exitCodes } from "../../cli/exit-codes.ts";
import type { ErrorKind } from "../../server/domain/errors.ts";
import { codeName, wireErrors } from "../../server/transport/errors.ts";
import { code, table } from "./markdown.ts";

const kinds: Readonly<Record<ErrorKind, readonly [meaning: string, next: string]>> = {
  invalid: ["the request is not valid", "correct what the sentence names"],
  unauthenticated: ["the API key or token is missing, unknown or expired", "send a valid one in `x-api-key`"],
  forbidden: [
    "the key lacks the scope, or the link is not valid or has expired",
    "use a key with the scope, or ask for a new link",
  ],
  not_found: ["the workspace has nothing with that id", "check the id and the workspace"],
  conflict: ["the request does not fit the present state", "read the state, then decide"],
  too_large: ["the document or the body exceeds a limit", "see [limits](limits.md), or send the document in parts"],
  rate_limited: ["more requests than the plan or the key allows", "repeat after `Retry-After`"],
  unsupported: ["the format of the document or of the body is not supported", "convert it first"],
  unprocessable: [
    "the stored document cannot give what is asked for, or an idempotency key was used with another body",
    "ask for another page; use a new key",
  ],
  storage_full: ["the disk or the store has no room; nothing of the request is kept", "free space, then repeat"],
  unavailable: ["the server is starting, stopping or overloaded", "repeat after `Retry-After`"],
};

const exits: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: "everything succeeded",
  failed: "the command failed",
  usage: "the command line is not valid",
  partly: "some of the files, or some of their pages, failed",
  auth: "no API key, an unknown one, or one that may not do this",
  interrupted: "interrupted, as by Ctrl-C",
};

/** The kinds of errors on each protocol, and the exit codes of the command line. */
export function errorsReference(): string {
  const isKind = (name: string): name is ErrorKind => Object.hasOwn(kinds, name);
  const rows = Object.keys(kinds)
    .filter(isKind)
    .map((kind) => {
      const [meaning, next] = kinds[kind];
      return [code(kind), String(wireErrors[kind].status), code(codeName(wireErrors[kind].code)), meaning, next];
    });
  const isExit = (name: string): name is keyof typeof exitCodes => Object.hasOwn(exits, name);
  const exitRows = Object.keys(exitCodes)
    .filter(isExit)
    .map((name) => [String(exitCodes[name]), exits[name]]);
  return [
    "## Kinds",
    table(["kind", "HTTP", "code", "meaning", "what to do"], rows),
    "## Exit codes of the command line",
    table(["code", "meaning"], exitRows),
  ].join("\n\n");
}
