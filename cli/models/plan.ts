import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { catalogPack, completeManifest, type Manifest, manifestName, parseManifest } from "@drs/server/packs";
import { CliError, usageError } from "../failures.ts";
import type { Hub } from "./hub.ts";
import { existsSync } from "node:fs";

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

/** A file of a pack: where it comes from, and what is known of it before the download. */
export interface WantedFile {
  /** Path inside the pack. */
  readonly path: string;
  readonly from: { readonly url: string } | { readonly file: string; readonly folder: string };
  readonly bytes: number | undefined;
  readonly sha256: string | undefined;
}

export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface PullPlan {
  /** `id@version`. */
  readonly pack: string;
  readonly licence: string;
  readonly files: readonly WantedFile[];
  /** Returns the text of its pack.json once all files have been downloaded. */
  manifestText(found: readonly FoundFile[]): string;
}

/** Plans a download. Throws before anything large is fetched if this version of drs cannot use the pack. */
export async function planPull(source: Source, hub: Hub, signal: AbortSignal): Promise<PullPlan> {
  switch (source.kind) {
    case "ready":
      return readyPlan(source.name, hub);
    case "hub": {
      const url = (path: string): string => hub.fileUrl(source.repository, source.revision, path);
      const text = await hub.readText(url(manifestName), signal);
      return manifestPlan(text, source.repository, (path) => ({ url: url(path) }));
    }
    case "address": {
      const text = await hub.readText(source.url, signal);
      return manifestPlan(text, source.url, (path) => ({ url: new URL(path, source.url).href }));
    }
    case "folder": {
      const { path: folder } = source;
      const text = await readFile(join(folder, manifestName), "utf8").catch((cause: unknown) => {
        throw new CliError(`there is no readable ${manifestName} in ${folder}`, {
          next: cause instanceof Error ? cause.message : "a model pack is a folder with that file",
        });
      });
      return manifestPlan(text, folder, (path) => ({ file: path, folder }));
    }
  }
}

async function readyPlan(name: string, hub: Hub): Promise<PullPlan> {
  const ready = await catalogPack(name);
  if (ready === undefined) {
    throw new CliError(`there is no model pack named ${name} to pull`, {
      next: "drs models list shows the packs that can be pulled",
    });
  }
  const { source, files, manifest } = ready;
  return {
    ...titleOf(manifest),
    files: files.map(({ path, from, bytes, sha256 }) => ({
      path,
      from: { url: hub.fileUrl(source.hub, source.revision, from) },
      bytes,
      sha256,
    })),
    manifestText: (found) => JSON.stringify(completeManifest(ready, found), undefined, 2),
  };
}

function manifestPlan(text: string, where: string, from: (path: string) => WantedFile["from"]): PullPlan {
  const manifest = parseManifest(text, where);
  return {
    ...titleOf(manifest),
    files: manifest.files.map(({ path, bytes, sha256 }) => ({ path, from: from(path), bytes, sha256 })),
    manifestText: () => text,
  };
}

/** Returns the id and licence of a pack. Rejects file names that some file systems cannot keep apart. */
function titleOf({ id, version, licence, files }: Manifest): Pick<PullPlan, "pack" | "licence"> {
  const names = [manifestName, ...files.map(({ path }) => path.toLowerCase())];
  if (new Set(names).size < names.length) {
    throw new CliError(
      `the model pack ${id} has two files whose names differ only in capitals, or a second ${manifestName}`,
    );
  }
  return { pack: `${id}@${version}`, licence };
}
