import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../../domain/ids.ts";
import { wordRoot } from "../../../domain/word-root.ts";
import { loadLance } from "../lance.ts";
import { putLexical } from "../put.ts";
import { elsewhere, openTables } from "../tables.ts";
import { pageTerms } from "../terms.ts";
import { matching } from "../vocabulary.ts";
import { isIndexed } from "./indexed-terms.ts";

const english =
  "add adds added adding ad ads egg eggs off offs evening evenings evenly even inning past paste pasted pasting pastes universe universal " +
  "university organ organic organize organized organization emerge emerged emergency emerging internal international interfere " +
  "later lateral apologist apologists apology dying vying skies news proceed proceeds generate general communicate arsenal " +
  "national relational operator operators happily hopefulness willing wills theses owns don won mostly yyy sayings boy's yields";
const others =
  "Straße STRASSE Ærø aero Œuvre oeuvre Łódź lodz Đakovo dakovo þing thing ırmak irmak ħal hal ŋa na ĸa ka Ж ж Ёлка Σίσυφος σίσυφος " +
  "数値 数 データ ISO9001 9001 1,234.5 e4 ß æ";
const long = [
  "a".repeat(39),
  "a".repeat(40),
  `${"ж".repeat(19)}x`,
  `${"ж".repeat(19)}xx`,
  "数".repeat(13),
  "数".repeat(14),
];

test("two terms have the same root if the full-text index takes them for one word, and none if it leaves them out", async () => {
  const url = await mkdtemp(join(tmpdir(), "drs-root-"));
  const tables = await openTables(url, elsewhere);
  const space = { kind: "lexical", pack: "p@1", name: "words" } as const;
  const terms = [
    ...new Set([...`${english} ${others}`.split(" ").flatMap((word) => pageTerms(word).split(" ")), ...long]),
  ];
  const key = { workspaceId: newWorkspaceId(), datasetId: newDatasetId(), generation: "" };
  await putLexical(tables, space, [{ ...key, page: terms.length + 1, words: "quartz" }]);
  const table = await tables.find(space);
  if (table === undefined) throw new Error("no table");
  const lance = await loadLance();
  await putLexical(
    tables,
    space,
    terms.map((term, page) => ({ ...key, page, words: term })),
  );
  // Of the terms as the table has them: a word may be several.
  const rows = (await table.query().select(["page", "terms"]).toArrow()).toArray().map(({ page, terms: of }) => ({
    page: Number(page),
    roots: new Set(String(of).split(" ").filter(isIndexed).map(wordRoot)),
  }));
  for (const term of terms) {
    const found = await table
      .query()
      .fullTextSearch(matching(lance, [term]))
      .select(["page"])
      .limit(1_000)
      .toArrow();
    const having = isIndexed(term) ? rows.filter(({ roots }) => roots.has(wordRoot(term))) : [];
    const expected = having.map(({ page }) => page);
    expect({ term, pages: [...found].map(({ page }) => Number(page)).toSorted((a, b) => a - b) }).toEqual({
      term,
      pages: expected.toSorted((a, b) => a - b),
    });
  }
  tables.close();
  await rm(url, { recursive: true });
});
