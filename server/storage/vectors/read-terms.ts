import type { WorkspaceId } from "../../domain/ids.ts";
import { type LexicalSpace, type PageKey, rowKey, type TermsRead } from "../../domain/ports/vectors.ts";
import { retryVanished } from "./conflicts.ts";
import { parseRowId, rowsInFilter } from "./filters.ts";
import type { Tables } from "./tables.ts";
import { questionTerms } from "./terms.ts";

interface Asked {
  readonly question: string;
  readonly pages: readonly PageKey[];
  readonly workspaceId: WorkspaceId;
}

export async function readTerms(
  tables: Tables,
  space: LexicalSpace,
  { question, pages, workspaceId }: Asked,
): Promise<TermsRead> {
  const table = await tables.find(space);
  const terms = new Map<string, string>();
  if (table !== undefined && pages.length > 0) {
    const rows = await retryVanished(() =>
      table.query().where(rowsInFilter(workspaceId, pages)).select(["id", "terms"]).toArrow(),
    );
    const [ids, texts] = [rows.getChild("id"), rows.getChild("terms")];
    for (let index = 0; index < rows.numRows; index++) {
      const row = parseRowId(String(ids?.get(index)));
      if (row !== undefined) terms.set(rowKey(row), String(texts?.get(index)));
    }
  }
  return { question: questionTerms(question), pages: terms };
}
