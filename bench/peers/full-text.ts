import { DatabaseSync } from "node:sqlite";

/** Searches words in SQLite's full-text index FTS5, ranked by its BM25. */
export interface FullText {
  /** Adds pages, which get the numbers 1, 2, 3 … in order. */
  add(words: readonly string[]): void;
  /** Returns the numbers of the best pages between `from` and `to`, both included, that have any of the words. */
  search(words: readonly string[], limit: number, from?: number, to?: number): readonly number[];
  close(): void;
}

export function openFullText(path: string): FullText {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("CREATE VIRTUAL TABLE pages USING fts5(words, tokenize = 'porter unicode61')");
  const insert = database.prepare("INSERT INTO pages (words) VALUES (?)");
  const everywhere = database.prepare("SELECT rowid FROM pages WHERE pages MATCH ? ORDER BY bm25(pages) LIMIT ?");
  const within = database.prepare(
    "SELECT rowid FROM pages WHERE pages MATCH ? AND rowid BETWEEN ? AND ? ORDER BY bm25(pages) LIMIT ?",
  );
  return {
    add(pages) {
      database.exec("BEGIN");
      for (const words of pages) insert.run(words);
      database.exec("COMMIT");
    },
    search(words, limit, from, to) {
      const query = words.map((word) => `"${word}"`).join(" OR ");
      const rows =
        from === undefined || to === undefined ? everywhere.all(query, limit) : within.all(query, from, to, limit);
      return rows.map(({ rowid }) => Number(rowid));
    },
    close: () => database.close(),
  };
}
