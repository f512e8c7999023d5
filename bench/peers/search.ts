import { DatabaseSync } from "node:sqlite";

/** Finds nearest vectors by comparing all of them. The unit vectors are stored in one array. */
export interface BruteForce {
  add(vector: Float32Array): void;
  /** Returns the indexes of the nearest vectors between `from` and `to`, best first. */
  nearest(query: Float32Array, limit: number, from?: number, to?: number): readonly number[];
}

export function createBruteForce(dimensions: number, capacity: number): BruteForce {
  const all = new Float32Array(dimensions * capacity);
  let count = 0;

  /** Computes four sums in parallel, which is twice as fast as one. Values past the end of the query count as 0. */
  function dot(start: number, query: Float32Array): number {
    let [first, second, third, fourth] = [0, 0, 0, 0];
    for (let index = 0; index < dimensions; index += 4) {
      const at = start + index;
      first += (all[at] ?? 0) * (query[index] ?? 0);
      second += (all[at + 1] ?? 0) * (query[index + 1] ?? 0);
      third += (all[at + 2] ?? 0) * (query[index + 2] ?? 0);
      fourth += (all[at + 3] ?? 0) * (query[index + 3] ?? 0);
    }
    return first + second + third + fourth;
  }

  return {
    add(vector) {
      all.set(vector, count * dimensions);
      count += 1;
    },
    nearest(query, limit, from = 0, to = count) {
      const best: { readonly place: number; readonly score: number }[] = [];
      for (let place = from; place < to; place++) {
        const score = dot(place * dimensions, query);
        if (best.length === limit && score <= (best.at(-1)?.score ?? 0)) continue;
        const at = best.findIndex((other) => other.score < score);
        best.splice(at === -1 ? best.length : at, 0, { place, score });
        if (best.length > limit) best.pop();
      }
      return best.map(({ place }) => place);
    },
  };
}

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
