import { decodeXml, XmlError } from "../../../formats/xml.ts";
import { findEntry } from "../../../formats/package.ts";
import { rewriteZip } from "../../../formats/zip/rewrite.ts";
import type { OfficeParts } from "../parts.ts";

/** Maximum bytes of a part to change. The parser takes a second for this size, and blocks everything else meanwhile. */
const maxPartBytes = 32 * 2 ** 20;
/** Maximum UTF-16 units of all changed parts, which stay in memory until they are written. */
const maxChanged = 128 * 2 ** 20;

/** An Office file with changes that are not written yet. */
export interface Draft extends OfficeParts {
  /**
   * Changes the XML of a part, including earlier changes. A part that is missing, too large or not well-formed stays as it is,
   * and so does a part that no longer fits into memory.
   */
  change(name: string, edit: (xml: string) => string): Promise<void>;
  readonly isChanged: boolean;
  /** Writes the whole container, with the changed parts in UTF-8. Throws `ArchiveError`. */
  write(file: string): Promise<void>;
}

export function draftOf(parts: OfficeParts): Draft {
  const { source, bytes, office } = parts;
  const { directory } = office;
  const changed = new Map<string, string>();
  let size = 0;

  async function textOf(name: string): Promise<string | undefined> {
    const entry = findEntry(directory, name);
    if (entry === undefined || entry.size > maxPartBytes) return undefined;
    return changed.get(entry.name) ?? decodeXml(await bytes(entry.name, maxPartBytes));
  }

  return {
    ...parts,
    async change(name, edit) {
      try {
        const text = await textOf(name);
        const edited = text === undefined ? text : edit(text);
        if (text === undefined || edited === undefined || edited === text) return;
        const key = findEntry(directory, name)?.name ?? name;
        const grown = size - (changed.get(key)?.length ?? 0) + edited.length;
        if (grown > maxChanged) return;
        size = grown;
        changed.set(key, edited.replace(/^\s*<\?xml[^>]*\?>/, ""));
      } catch (cause) {
        if (!(cause instanceof XmlError)) throw cause;
      }
    },
    get isChanged() {
      return changed.size > 0;
    },
    async write(file) {
      const entries = directory.entries.flatMap((entry) => {
        const text = changed.get(entry.name);
        return text === undefined ? [] : ([[entry, Buffer.from(text)]] as const);
      });
      await rewriteZip(file, { source, directory, parts: new Map(entries) });
    },
  };
}
