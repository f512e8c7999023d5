import type { Drs } from "@drs/client";
import { nearestName } from "@drs/server/settings";
import { CliError } from "../failures.ts";
import { printable } from "../output/printable.ts";

/** A resource that the command line may refer to by other words than its id. */
interface Nameable {
  readonly id: string;
  /** Names and addresses that people use for it; empty ones are ignored. */
  readonly names: readonly string[];
}

/** A kind of resource, and how to list it. */
interface NamedKind {
  /** "API key" */
  readonly noun: string;
  /** "drs keys list" */
  readonly list: string;
  readonly isId: (word: string) => boolean;
  readonly all: (drs: Drs, signal: AbortSignal) => Promise<readonly Nameable[]>;
}

const begins =
  (prefix: string) =>
  (word: string): boolean =>
    new RegExp(`^${prefix}_[0-9a-z]+$`, "i").test(word);

/** Matches ids without a prefix: 26 letters and digits are never taken for a name. */
const isUlid = (word: string): boolean => /^[0-9a-z]{26}$/i.test(word);

/** Active API keys: a revoked key cannot be found by its name. */
export const aKey: NamedKind = {
  noun: "API key",
  list: "drs keys list",
  isId: isUlid,
  all: async (drs, signal) =>
    (await drs.keys.list({}, { signal }))
      .filter(({ revokedAt }) => revokedAt === null)
      .map(({ id, name }) => ({ id, names: [name] })),
};

export const aMember: NamedKind = {
  noun: "member",
  list: "drs members list",
  isId: begins("mem"),
  all: async (drs, signal) => (await drs.members.list({ signal })).map(({ id, name }) => ({ id, names: [name] })),
};

export const anInvitation: NamedKind = {
  noun: "open invitation",
  list: "drs members invitations",
  isId: begins("inv"),
  all: async (drs, signal) =>
    (await drs.members.invitations({ signal })).map(({ id, name, email }) => ({ id, names: [name, email ?? ""] })),
};

export const aWebhook: NamedKind = {
  noun: "webhook",
  list: "drs webhooks list",
  isId: (word) => begins("wh")(word) || word === "callbacks",
  all: async (drs, signal) =>
    (await drs.webhooks.list({ signal })).map(({ id, url, description }) => ({ id, names: [url, description] })),
};

export const anOrganisation: NamedKind = {
  noun: "organisation",
  list: "drs orgs list",
  isId: begins("org"),
  all: async (drs, signal) => (await drs.organisations.list({ signal })).map(({ id, name }) => ({ id, names: [name] })),
};

/** Personal tokens, by the device that they were created for. */
export const aToken: NamedKind = {
  noun: "personal token",
  list: "drs tokens list",
  isId: isUlid,
  all: async (drs, signal) =>
    (await drs.tokens.list({ signal })).map(({ id, deviceName }) => ({ id, names: [deviceName ?? ""] })),
};

/** Returns the id that a command-line word refers to: the word is an id, or a name that only one resource has. */
export async function idNamed(kind: NamedKind, drs: Drs, word: string, signal: AbortSignal): Promise<string> {
  return kind.isId(word) ? word : soleNamed(kind, word, await kind.all(drs, signal)).id;
}

/**
 * Returns the only resource with that id or name; case is ignored if no name matches exactly. Throws an error that
 * tells what to use instead.
 */
export function soleNamed(
  { noun, list }: Pick<NamedKind, "noun" | "list">,
  word: string,
  all: readonly Nameable[],
): Nameable {
  const fold = (text: string): string => text.toLowerCase();
  const named = (same: (name: string) => boolean): readonly Nameable[] =>
    all.filter(({ id, names }) => id === word || names.some((name) => name !== "" && same(name)));
  const exact = named((name) => name === word);
  const found = exact.length > 0 ? exact : named((name) => fold(name) === fold(word));
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  const told = printable(word);
  if (first === undefined) {
    const nearest = nearestName(word, [...new Set(all.flatMap(({ names }) => names).filter((name) => name !== ""))]);
    throw new CliError(`there is no ${noun} called ${told}`, {
      next: `${nearest === undefined ? "" : `did you mean ${printable(nearest)}? `}${list} shows all names`,
    });
  }
  const candidates = found.map(
    ({ id, names }) => `  ${id}  ${printable(names.filter((name) => name !== "").join(", "))}`,
  );
  throw new CliError([`${told} is the name of ${found.length}: name one by its id`, ...candidates].join("\n"), {
    next: `${list} shows more about them`,
  });
}

/** Returns the word and the id that it stands for, for a question. */
export function toldWithId(word: string, id: string): string {
  return word === id ? id : `${printable(word)} (${id})`;
}
