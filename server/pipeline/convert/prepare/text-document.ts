import type { Draft } from "./draft.ts";
import { writeOutFields } from "./fields.ts";
import { acceptRevisions } from "./revisions.ts";
import { attributeOf, escapeText, type Span, textEdits, walkXml } from "../../../formats/xml-edits.ts";
import { readChunk } from "../chunks/read-chunk.ts";

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

/** Inserts the text of parts in other formats, which converters skip, in their place. */
async function insertChunks(draft: Draft): Promise<void> {
  const { mainPart } = draft.office;
  const ids: string[] = [];
  await draft.read(mainPart, {
    open(element) {
      if (element.local === "altChunk") ids.push(attributeOf(element, "id"));
    },
    close: () => undefined,
    text: () => undefined,
  });
  if (ids.length === 0) return;
  const targets = await draft.relationships(mainPart);
  const chunks = new Map<string, readonly string[]>();
  let size = 0;
  for (const id of new Set(ids)) {
    const target = targets.get(id)?.target;
    const paragraphs = target === undefined ? undefined : await readChunk(draft, target);
    if (paragraphs === undefined) continue;
    size += paragraphs.reduce((sum, { length }) => sum + length, 0);
    if (size > maxChunks) break;
    chunks.set(id, paragraphs);
  }
  await draft.change(mainPart, (xml) => insertParagraphs(xml, chunks));
}

/** Maximum UTF-16 units of all inserted parts in memory. */
const maxChunks = 16 * 2 ** 20;

function insertParagraphs(xml: string, chunks: ReadonlyMap<string, readonly string[]>): string {
  const edits = textEdits();
  const open: { readonly tag: Span; readonly id: string }[] = [];
  walkXml(xml, {
    open(element, tag) {
      if (element.local === "altChunk") open.push({ tag, id: attributeOf(element, "id") });
    },
    close({ local, prefix }, tag) {
      if (local !== "altChunk") return;
      const chunk = open.pop();
      const paragraphs = chunk && chunks.get(chunk.id);
      if (chunk === undefined || paragraphs === undefined) return;
      const name = (part: string): string => (prefix === "" ? part : `${prefix}:${part}`);
      const [p, r, t] = [name("p"), name("r"), name("t")];
      const written = paragraphs.map(
        (text) => `<${p}><${r}><${t} xml:space="preserve">${escapeText(text)}</${t}></${r}></${p}>`,
      );
      // A cell must end with a paragraph.
      edits.replace({ from: chunk.tag.from, to: tag.to }, written.length === 0 ? `<${p}/>` : written.join(""));
    },
  });
  return edits.apply(xml);
}
