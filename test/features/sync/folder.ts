import { createHash } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makePdf } from "../../fixtures/pdf.ts";

/** A folder of documents that is edited at random, and what is in it. Every content that is written is a new one. */
export interface EditedFolder {
  /** SHA-256 of every file, by its path. */
  readonly files: ReadonlyMap<string, string>;
  /** Contents that have been written so far. */
  readonly written: number;
  add(): Promise<void>;
  /** One edit, deletion, renaming, exchange of two files, or new file. */
  edit(): Promise<void>;
}

const folders = ["", "reports", "reports/2026", "Übersicht", "a b"];

export function createEditedFolder(root: string, random: () => number): EditedFolder {
  const files = new Map<string, string>();
  let written = 0;
  const pick = <Value>(values: readonly Value[]): Value | undefined => values[Math.floor(random() * values.length)];
  const pathOf = (name: string): string => {
    const folder = pick(folders) ?? "";
    return folder === "" ? name : `${folder}/${name}`;
  };
  const write = async (path: string): Promise<void> => {
    written += 1;
    const content = makePdf({ pages: [{ text: `content ${written}` }] });
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
    files.set(path, createHash("sha256").update(content).digest("hex"));
  };
  const move = async (from: string, to: string): Promise<void> => {
    await mkdir(dirname(join(root, to)), { recursive: true });
    await rename(join(root, from), join(root, to));
    const sha256 = files.get(from);
    files.delete(from);
    if (sha256 !== undefined) files.set(to, sha256);
  };
  const add = (): Promise<void> => write(pathOf(`document ${written}.pdf`));
  return {
    files,
    get written() {
      return written;
    },
    add,
    async edit() {
      const path = pick([...files.keys()]);
      const other = pick([...files.keys()]);
      const kind = random();
      if (path === undefined || other === undefined || kind < 0.2) return add();
      if (kind < 0.5) return write(path);
      if (kind < 0.65) {
        await rm(join(root, path));
        files.delete(path);
      } else if (kind < 0.9) await move(path, pathOf(`renamed ${written}-${Math.floor(random() * 1e9)}.pdf`));
      else if (path !== other) {
        await move(path, "between.pdf");
        await move(other, path);
        await move("between.pdf", other);
      }
    },
  };
}
