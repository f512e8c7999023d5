import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkNamed, discover, type Discovery } from "./discover.ts";
import type { Source, Unreadable } from "./source.ts";

const isRoot = process.getuid?.() === 0;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-discover-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function put(...paths: string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeFile(join(folder, path), "%PDF-");
  }
}

interface Found {
  readonly labels: readonly string[];
  readonly unreadable: readonly Unreadable[];
  readonly leftOut: readonly string[];
}

async function found(words: readonly string[], settings: Partial<Discovery> = {}): Promise<Found> {
  const leftOut: string[] = [];
  const all: (Source | Unreadable)[] = [];
  const { signal } = new AbortController();
  const onLeftOut = (path: string): void => void leftOut.push(path.slice(folder.length + 1));
  const discovery = {
    recursive: true,
    input: new PassThrough(),
    include: [],
    exclude: [],
    signal,
    onLeftOut,
    ...settings,
  };
  for await (const source of discover(words, discovery)) all.push(source);
  return {
    labels: all.flatMap(({ kind, label }) => (kind === "unreadable" ? [] : label)).toSorted(),
    unreadable: all.filter((source) => source.kind === "unreadable"),
    leftOut: leftOut.toSorted(),
  };
}

describe("folders", () => {
  test("are searched for the four formats, hidden files never, whatever names they have", async () => {
    await put(
      "a.pdf",
      "b/c.DOCX",
      "b/d.pptx",
      "b/e f\n\u001b.xlsx",
      "b/notes.txt",
      ".git/x.pdf",
      "b/.h.pdf",
      "~$a.docx",
    );
    expect(await found([folder])).toMatchObject({
      labels: ["a.pdf", "b/c.DOCX", "b/d.pptx", "b/e f\n\u001b.xlsx"],
      unreadable: [],
      leftOut: ["b/notes.txt"],
    });
  });

  test("include and exclude choose", async () => {
    await put("a.pdf", "a.docx", "drafts/b.pdf", "2026/drafts/c.pdf", "2026/d.pdf", "2026/scan.bin");
    expect((await found([folder], { include: ["*.pdf", "*.bin"], exclude: ["drafts"] })).labels).toEqual([
      "2026/d.pdf",
      "2026/scan.bin",
      "a.pdf",
    ]);
    expect((await found([folder], { exclude: ["2026/**"] })).labels).toEqual(["a.docx", "a.pdf", "drafts/b.pdf"]);
  });

  test("links are followed, loops end, and no folder is entered twice", async () => {
    await put("a/one.pdf", "elsewhere/two.pdf");
    await symlink("..", join(folder, "a", "up"));
    await symlink(join(folder, "elsewhere"), join(folder, "a", "link"));
    await symlink("one.pdf", join(folder, "a", "same.pdf"));
    await symlink("nowhere", join(folder, "a", "broken.pdf"));
    await symlink("nowhere", join(folder, "a", "broken.txt"));
    const { labels, unreadable, leftOut } = await found([join(folder, "a")]);
    expect(labels.filter((label) => label.endsWith("one.pdf"))).toHaveLength(1);
    expect(labels.filter((label) => label.endsWith("two.pdf"))).toHaveLength(1);
    expect(labels.filter((label) => label.endsWith("same.pdf"))).toHaveLength(1);
    expect(unreadable.map(({ label }) => label)).toEqual(["broken.pdf"]);
    expect(leftOut).toHaveLength(1);
    expect((await found([folder, join(folder, "a"), folder])).labels).toHaveLength(3);
  });

  const reason = isRoot ? " (skipped: root may read everything)" : "";
  test.skipIf(isRoot)(`that cannot be read are named, and the others are searched${reason}`, async () => {
    await put("a.pdf", "locked/b.pdf");
    await chmod(join(folder, "locked"), 0);
    const { labels, unreadable } = await found([folder]);
    await chmod(join(folder, "locked"), 0o700);
    expect(labels).toEqual(["a.pdf"]);
    expect(unreadable).toMatchObject([{ path: join(folder, "locked"), cause: { code: "EACCES" } }]);
  });

  test("a name that is not UTF-8 is told as such", async () => {
    await writeFile(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xe9]), Buffer.from(".pdf")]), "%PDF-");
    expect((await found([folder])).unreadable).toMatchObject([
      { cause: { message: expect.stringContaining("is not UTF-8"), next: "rename it" } },
    ]);
  });

  test("are seen file by file: the first one comes before the rest has been read", async () => {
    await put(...Array.from({ length: 600 }, (_, index) => `${index}.pdf`));
    const { signal } = new AbortController();
    let leftOut = 0;
    const onLeftOut = (): void => void (leftOut += 1);
    const sources = discover([folder], { recursive: true, include: ["7*"], exclude: [], signal, onLeftOut });
    await sources.next();
    const before = leftOut;
    while ((await sources.next()).done !== true);
    expect(leftOut).toBe(589);
    expect(before).toBeLessThan(589);
  });
});

describe("names", () => {
  test("are tried whatever they are, and failures come in their place", async () => {
    await put("notes.txt", ".hidden");
    const words = [join(folder, "notes.txt"), join(folder, "absent.pdf"), join(folder, ".hidden"), "-"];
    const { labels, unreadable } = await found([...words, "https://user:secret@example.com/a/b.pdf?sig=1"]);
    expect(labels).toEqual([".hidden", "b.pdf", "notes.txt", "standard input"]);
    expect(unreadable).toMatchObject([{ label: "absent.pdf", cause: { code: "ENOENT" } }]);
  });

  test.each([
    [["-", "-"], "only once"],
    [["ftp://example.com/a.pdf"], "is not an address that can be fetched"],
    [["http://"], "is not an address that can be fetched"],
  ])("%j is a mistake", async (words, said) => {
    await expect(checkNamed(words, { recursive: true, input: new PassThrough() })).rejects.toThrow(said);
  });

  test("standard input must be a pipe", async () => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true });
    for (const input of [terminal, undefined])
      await expect(checkNamed(["-"], { recursive: false, input })).rejects.toThrow("nothing is piped");
    await checkNamed(["-"], { recursive: false, input: new PassThrough() });
  });

  test("a folder needs -r", async () => {
    await expect(checkNamed([folder], { recursive: false })).rejects.toMatchObject({
      message: `${folder} is a folder`,
      next: `upload its contents with: -r ${folder}`,
      exitCode: 2,
    });
    await checkNamed([folder], { recursive: true });
  });
});
