import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { usageError } from "../failures.ts";

/** The source of a model pack. */
export type Source =
  /** A pack that drs knows by name. */
  | { readonly kind: "ready"; readonly name: string }
  /** A repository on the hub with a pack.json in it. */
  | { readonly kind: "hub"; readonly repository: string; readonly revision: string }
  /** The address of a pack.json; its files lie beside it. */
  | { readonly kind: "address"; readonly url: string }
  | { readonly kind: "folder"; readonly path: string };

const repositoryText = /^(?:hf:)?([\w.-]+\/[\w.-]+?)(?:@([\w.-]+))?$/;

/** Parses the user's argument. An existing folder takes precedence over a repository of the same name. */
export function parseSource(text: string): Source {
  if (/^https?:/i.test(text)) return { kind: "address", url: text };
  if (/^(\.{1,2}|~)?[/\\]|^\.{1,2}$|^[a-z]:[/\\]/i.test(text) || existsSync(join(text, "pack.json"))) {
    return { kind: "folder", path: resolve(text) };
  }
  if (/^[a-z][a-z0-9-]*$/.test(text)) return { kind: "ready", name: text };
  const [, repository, revision = "main"] = repositoryText.exec(text) ?? [];
  if (repository !== undefined && !/(^|\/)\.+(\/|$)/.test(repository)) return { kind: "hub", repository, revision };
  throw usageError(
    `"${text}" does not name a model pack`,
    "give a name from drs models list, owner/name of a hub repository, the https address of a pack.json, or a folder",
  );
}
