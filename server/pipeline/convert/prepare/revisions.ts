import { type Span, type TextEdits, textEdits, walkXml } from "../../../formats/xml-edits.ts";

const hasRevisions = /<(\w+:)?(ins|del|moveFrom|moveTo|cellIns|cellDel|cellMerge|\w+Change)\b/;

/** Whether the element is content that disappears when a change is accepted, or earlier properties of remaining content. */
const isGone = (local: string): boolean =>
  local === "del" || local === "moveFrom" || local.endsWith("Change") || /^(moveFrom|moveTo)Range/.test(local);
/** Whether the element marks a change whose content remains when the mark is removed. */
const isKept = (local: string): boolean => local === "ins" || local === "moveTo";

/** Elements that print something; a paragraph without any of them is empty. */
const printing: ReadonlySet<string> = new Set("t tab br sym drawing pict object oMath fldChar sectPr ptab".split(" "));

interface Paragraph {
  readonly from: number;
  /** Whether the paragraph's mark is deleted, so that the next paragraph continues it. */
  isOpen: boolean;
  hasContent: boolean;
}

/** A paragraph that has ended and whose mark is deleted. */
interface OpenParagraph extends Paragraph {
  readonly end: Span;
}

/**
 * Accepts the tracked changes in a part of a text document (ECMA-376 Part 1, 17.13.5), so that it prints without marks. Deleted
 * and moved content disappears, and so do paragraphs and rows whose marks are deleted.
 */
export function acceptRevisions(xml: string): string {
  if (!hasRevisions.test(xml)) return xml;
  const edits = textEdits();
  const path: string[] = [];
  const paragraphs: Paragraph[] = [];
  /** The paragraph that the next one at the same depth continues, by depth. */
  const ended = new Map<number, OpenParagraph>();
  const tables = removeDeletedRows(edits);
  let gone: { readonly depth: number; readonly from: number } | undefined;

  /** Joins the paragraph whose content begins at `to` to the open one at this depth. */
  function joinToOpen(depth: number, to: number): void {
    const before = ended.get(depth);
    if (before === undefined) return;
    ended.delete(depth);
    if (before.hasContent) edits.replace({ from: before.end.from, to });
    else edits.replace({ from: before.from, to: before.end.to });
  }

  walkXml(xml, {
    open(element, tag) {
      const { local } = element;
      const parent = path.at(-1);
      const paragraph = paragraphs.at(-1);
      path.push(local);
      if (gone !== undefined) return;
      if (isGone(local) || local === "cellIns" || local === "cellDel" || local === "cellMerge") {
        gone = { depth: path.length, from: tag.from };
        if (local === "del" && parent === "rPr" && path.at(-3) === "pPr" && paragraph) paragraph.isOpen = true;
        if (local === "del" && parent === "trPr") tables.rowIsGone();
        return;
      }
      if (isKept(local)) edits.replace(tag);
      if (printing.has(local) && paragraph) paragraph.hasContent = true;
      if (local === "p") paragraphs.push({ from: tag.from, isOpen: false, hasContent: false });
      else tables.open(local, tag);
      const before = ended.get(path.length);
      if (before === undefined) return;
      if (local !== "p") ended.delete(path.length);
      else if (!/^\s*<(\w+:)?pPr\b/.test(xml.slice(tag.to, tag.to + 200))) {
        const next = paragraphs.at(-1);
        if (next && before.hasContent) next.hasContent = true;
        joinToOpen(path.length, tag.to);
      }
    },
    close({ local }, tag) {
      const depth = path.length;
      path.pop();
      ended.delete(depth + 1);
      if (gone !== undefined) {
        if (gone.depth !== depth) return;
        edits.replace({ from: gone.from, to: tag.to });
        gone = undefined;
        return;
      }
      if (isKept(local)) edits.replace(tag);
      if (local === "pPr" && ended.has(depth - 1)) {
        const next = paragraphs.at(-1);
        if (next && ended.get(depth - 1)?.hasContent === true) next.hasContent = true;
        joinToOpen(depth - 1, tag.to);
      }
      if (local === "p") {
        const paragraph = paragraphs.pop();
        if (paragraph?.isOpen === true) ended.set(depth, { ...paragraph, end: tag });
      }
      tables.close(local, tag);
    },
  });
  return edits.apply(xml);
}

interface Tables {
  open(local: string, tag: Span): void;
  /** The mark of the innermost row is deleted. */
  rowIsGone(): void;
  close(local: string, tag: Span): void;
}

/** Removes rows whose marks are deleted, and tables without other rows. */
function removeDeletedRows(edits: TextEdits): Tables {
  const rows: { isGone: boolean; readonly from: number }[] = [];
  const tables: { rows: number; gone: number; readonly from: number }[] = [];
  return {
    open(local, tag) {
      if (local === "tr") rows.push({ isGone: false, from: tag.from });
      else if (local === "tbl") tables.push({ rows: 0, gone: 0, from: tag.from });
    },
    rowIsGone() {
      const row = rows.at(-1);
      if (row) row.isGone = true;
    },
    close(local, tag) {
      if (local === "tr") {
        const row = rows.pop();
        const table = tables.at(-1);
        if (table) table.rows += 1;
        if (row?.isGone !== true) return;
        edits.replace({ from: row.from, to: tag.to });
        if (table) table.gone += 1;
      } else if (local === "tbl") {
        const table = tables.pop();
        if (table && table.gone > 0 && table.gone === table.rows) edits.replace({ from: table.from, to: tag.to });
      }
    },
  };
}
