import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { UserError } from "./failures.ts";
import { createLocalFiles, type LocalFiles } from "./local-files.ts";

let folder: string;
let files: LocalFiles;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-roots-"));
  const at = (...path: string[]): string => join(folder, ...path);
  await mkdir(at("root", "inner"), { recursive: true });
  await mkdir(at("root-beside"));
  await mkdir(at("second"));
  await writeFile(at("root", "report.pdf"), "report");
  await writeFile(at("root", "inner", "deep.pdf"), "deep");
  await writeFile(at("second", "other.pdf"), "other");
  await writeFile(at("secret.pdf"), "secret");
  await writeFile(at("root-beside", "secret.pdf"), "secret");
  await symlink(at("secret.pdf"), at("root", "link.pdf"));
  await symlink(folder, at("root", "out"));
  await symlink(at("root", "inner"), at("root", "in"));
  await symlink(at("second"), at("root", "to-second"));
  await symlink(at("root"), at("root-by-link"));
  await symlink("/nowhere/at/all", at("root", "dangling.pdf"));
  await symlink("loop", at("root", "loop"));
  execFileSync("mkfifo", [at("root", "pipe.pdf")]);
  files = createLocalFiles([at("root"), at("second")]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(path: string, from = files): Promise<string> {
  const { handle, name } = await from.open(path);
  try {
    return `${name}: ${await handle.readFile("utf8")}`;
  } finally {
    await handle.close();
  }
}

test("files below the roots are opened: by name, by path, by links that stay below one", async () => {
  expect(await read("report.pdf")).toBe("report.pdf: report");
  expect(await read(join(folder, "root", "inner", "deep.pdf"))).toBe("deep.pdf: deep");
  expect(await read("inner/../in/deep.pdf")).toBe("deep.pdf: deep");
  expect(await read(join(folder, "second", "other.pdf"))).toBe("other.pdf: other");
  expect(await read("to-second/other.pdf")).toBe("other.pdf: other");
});

test("a root may be named by a link, and paths by either name", async () => {
  const byLink = createLocalFiles([join(folder, "root-by-link")]);
  expect(await read("report.pdf", byLink)).toBe("report.pdf: report");
  expect(await read(join(folder, "root", "report.pdf"), byLink)).toBe("report.pdf: report");
});

test("paths that lead out are refused, and reveal nothing about their targets", async () => {
  const outside = [
    "../secret.pdf",
    "inner/../../secret.pdf",
    "../root-beside/secret.pdf",
    "../nothing-there.pdf",
    "/etc/passwd",
    "/nothing-there",
    "link.pdf",
    "out/secret.pdf",
    "out/nothing-there",
    "out/nothing/there/at/all.pdf",
    ".",
    "..",
    "",
    "inner/..",
    join(folder, "root"),
    join(folder, "root-beside", "secret.pdf"),
  ];
  for (const path of outside) {
    const refusal = await files.open(path).catch((cause: unknown) => cause);
    expect(refusal, `of ${path}`).toBeInstanceOf(UserError);
    expect(String(refusal), `of ${path}`).toMatch(/is not below a folder that drs may read/);
  }
});

test("anything but a file is refused without waiting for it", async () => {
  for (const path of ["inner", "pipe.pdf", "loop", "missing.pdf", "report.pdf/x", "a\0b", "x".repeat(5_000)]) {
    await expect(files.open(path), `of ${path}`).rejects.toThrow(UserError);
  }
});

test("without roots nothing is read", async () => {
  await expect(createLocalFiles([]).open(join(folder, "secret.pdf"))).rejects.toThrow(/--root/);
});

test("links that another process swaps meanwhile never lead outside", { timeout: 120_000 }, async () => {
  const root = join(folder, "swapped");
  await mkdir(join(root, "inside"), { recursive: true });
  await mkdir(join(folder, "outside"));
  await writeFile(join(root, "inside", "a.pdf"), "inside");
  await writeFile(join(folder, "outside", "a.pdf"), "outside");
  const swapping = fork(new URL("./testing/swap-links.ts", import.meta.url), [root, join(folder, "outside")], {
    execArgv: [],
  });
  try {
    await once(swapping, "message");
    const swapped = createLocalFiles([root]);
    const seen = new Set<string>();
    for (let turn = 0; turn < 6_000; turn++) {
      seen.add(
        await read("place/a.pdf", swapped).catch((cause: unknown) => {
          expect(cause).toBeInstanceOf(UserError);
          return "refused";
        }),
      );
    }
    expect(seen).toEqual(new Set(["a.pdf: inside", "refused"]));
  } finally {
    swapping.kill("SIGKILL");
  }
});
