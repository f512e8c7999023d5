import type { Draft } from "./draft.ts";
import { insertChunks } from "./chunks.ts";
import { writeOutFields } from "./fields.ts";
import { acceptRevisions } from "./revisions.ts";

/** Parts besides the main one that a text document prints, by the types of their relationships. */
const printed: ReadonlySet<string> = new Set(["header", "footer", "footnotes", "endnotes"]);

/** Prepares a text document: accepts its changes, and writes out the stored results of its fields and its inserted parts. */
export async function prepareText(draft: Draft, fileName: string): Promise<void> {
  const { mainPart } = draft.office;
  await insertChunks(draft);
  const related = [...(await draft.relationships(mainPart)).values()].filter(({ type }) => printed.has(type));
  for (const name of new Set([mainPart, ...related.map(({ target }) => target)])) {
    await draft.change(name, (xml) => writeOutFields(acceptRevisions(xml), fileName));
  }
}
