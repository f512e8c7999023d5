import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isUnseen, type Scan, scanFolder } from "./scan.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "drs-scan-"));
});
afterEach(() => rm(root, { recursive: true }));

async function put(...paths: string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), path);
  }
}

const all = { include: [], exclude: [] };
const scan = (patterns = all): Promise<Scan> => scanFolder(root, patterns, new AbortController().signal);

test("finds documents, by their paths, and the folders that they are in", async () => {
  await put("a.pdf", "b/c/d.DOCX", "notes.txt", ".hidden/e.pdf", "b/.f.pdf", "b/~$g.docx");
  const { files, folders, leftOut, unread } = await scan();
  expect([...files.keys()].toSorted()).toEqual(["a.pdf", "b/c/d.DOCX"]);
  expect(folders.toSorted()).toEqual(["", "b", "b/c"]);
  expect([leftOut, unread.size]).toEqual([1, 0]);
  expect(files.get("a.pdf")).toMatchObject({ size: 5 });
});

test("follows links, each path for itself, and no link back to where it came from", async () => {
  await put("real/a.pdf");
  await symlink("real", join(root, "one"));
  await symlink("real", join(root, "two"));
  await symlink("..", join(root, "real/loop"));
  await symlink("real/a.pdf", join(root, "b.pdf"));
  const { files, unread } = await scan();
  expect([...files.keys()].toSorted()).toEqual(["b.pdf", "one/a.pdf", "real/a.pdf", "two/a.pdf"]);
  expect(unread.size).toBe(0);
});

test("does not see what is behind links that lead nowhere", async () => {
  await put("real/a.pdf");
  await symlink("real", join(root, "link"));
  await rename(join(root, "real"), join(root, ".real"));
  const { unread } = await scan();
  expect([...unread.keys()]).toEqual(["link"]);
  expect(isUnseen("link/a.pdf", unread, all)).toBe(true);
  expect(isUnseen("linked/a.pdf", unread, all)).toBe(false);
  expect(isUnseen("real/a.pdf", unread, all)).toBe(false);
});

test("does not see names that are not UTF-8", async () => {
  const name = Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9]), Buffer.from(".pdf")]);
  await writeFile(name, "x");
  const { files, unread } = await scan();
  expect(files.size).toBe(0);
  expect([...unread.values()].map(String)).toEqual([expect.stringContaining("its name is not UTF-8")]);
});

test("does not see what patterns leave out", () => {
  const none = new Map<string, unknown>();
  const patterns = { include: ["*.pdf"], exclude: ["drafts", "old/**"] };
  expect(isUnseen("a.pdf", none, patterns)).toBe(false);
  expect(isUnseen("a.docx", none, patterns)).toBe(true);
  expect(isUnseen("x/drafts/a.pdf", none, patterns)).toBe(true);
  expect(isUnseen("old/x/a.pdf", none, patterns)).toBe(true);
});

test("needs the folder itself", async () => {
  await expect(scanFolder(join(root, "gone"), all, new AbortController().signal)).rejects.toThrow("ENOENT");
});
