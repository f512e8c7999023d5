import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeDocx } from "../fixtures/ooxml.ts";
import { makePdf } from "../fixtures/pdf.ts";

/** As a user's shell has it: with the machine's Node and npm, and nothing of this repository or of `npm test`. */
const shell: Record<string, string> = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value = ""]): [string, string][] => {
    if (name === "PATH") return [[name, value.split(delimiter).filter(isOfMachine).join(delimiter)]];
    if (/^(npm_(?!config_(registry|userconfig|cache)$)|DRS_|VITEST|NODE_ENV$)/.test(name)) return [];
    return [[name, value]];
  }),
);

function isOfMachine(folder: string): boolean {
  return basename(folder) !== ".bin" && basename(folder) !== "node-gyp-bin";
}

const npm = (args: readonly string[], cwd = tmpdir(), timeout = 600_000) =>
  spawnSync("npm", [...args, "--no-audit", "--no-fund"], { env: shell, cwd, encoding: "utf8", timeout });

const image = process.env["DRS_TEST_IMAGE"] ?? "";
/** Packages that have been made for the image out of the same sources. */
const ofImage = image === "" ? "" : join(image, "packages");

const reason =
  npm(["view", "ulid@3.0.2", "version", "--fetch-retries=0"], tmpdir(), 30_000).status === 0
    ? ""
    : " (skipped: this machine has no npm of its own, or npm's registry does not answer)";

describe.skipIf(reason !== "")(`the packages that npm run build makes${reason}`, { timeout: 300_000 }, () => {
  let folder: string;
  /** Where the packages are. */
  let built: string;
  let prefix: string;
  let warnings: string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "drs-packages-"));
    prefix = join(folder, "prefix");
    await mkdir(prefix);
    const isMade = existsSync(ofImage);
    built = isMade ? ofImage : folder;
    if (!isMade) {
      const repository = fileURLToPath(new URL("../..", import.meta.url));
      execFileSync(process.execPath, ["tools/build.ts", built], { cwd: repository, stdio: "ignore" });
    }
    const { status, stderr } = npm(["install", "--global", "--prefix", prefix, ...(await tarballs(built))]);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    warnings = stderr.split("\n").filter((line) => /warn/i.test(line) && !/unknown \w+ config/i.test(line));
  }, 900_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** As the shell makes of `drs-*.tgz`. */
  async function tarballs(at: string): Promise<string[]> {
    return (await readdir(at)).filter((name) => /^drs-.*\.tgz$/.test(name)).map((name) => join(at, name));
  }

  function drs(...words: string[]): { status: number | null; stdout: string; stderr: string } {
    const env = { ...shell, HOME: folder, DRS_DATA_DIR: join(folder, "data"), DRS_CONVERTER: "wasm" };
    return spawnSync(join(prefix, "bin", "drs"), words, { env, cwd: folder, encoding: "utf8" });
  }

  test("install without a warning", () => {
    expect(warnings).toEqual([]);
  });

  test("bring nothing that runs when it is installed, and nothing that drs does not use", async () => {
    const root = join(prefix, "lib/node_modules");
    const names = (await readdir(root, { recursive: true })).filter((name) => name.endsWith("/package.json"));
    expect(names).toContain("drs/package.json");
    const scripted: string[] = [];
    for (const name of names) {
      const { scripts = {} } = JSON.parse(await readFile(join(root, name), "utf8"));
      if (["preinstall", "install", "postinstall"].some((script) => script in scripts)) scripted.push(name);
    }
    expect(scripted).toEqual([]);
    expect(names.filter((name) => /\/(@huggingface\/transformers|onnxruntime-web|@scarf\/scarf)\//.test(name))).toEqual(
      [],
    );
  });

  test("weigh less than 850 MB beside Node", async () => {
    const files = await readdir(prefix, { recursive: true, withFileTypes: true });
    const own = files.filter((file) => file.isFile() && !/\/node_modules\/node-[\w-]+(\/|$)/.test(file.parentPath));
    const sizes = await Promise.all(own.map(async (file) => (await stat(join(file.parentPath, file.name))).size));
    expect(sizes.reduce((sum, size) => sum + size, 0) / 1e6).toBeLessThan(850);
  });

  test("find the right pages of the samples", () => {
    const { status, stdout, stderr } = drs("quickstart");
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(stdout.match(/^✓/gm)).toHaveLength(3);
  });

  test("convert Office documents, with fonts for Japanese", async () => {
    await writeFile(join(folder, "灯台.docx"), makeDocx({ paragraphs: ["灯台の手入れ"] }));
    const { status, stdout, stderr } = drs("upload", "灯台.docx", "--vectorize", "--json");
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(stdout).toContain('"pagesTotal":1');
  });

  test("find everything that doctor looks for", () => {
    const { status, stdout } = drs("doctor");
    expect(stdout).not.toMatch(/^✗/m);
    expect(status).toBe(0);
  });

  test("work without LibreOffice, except for Office documents, and say so", async () => {
    await rm(join(prefix, "lib/node_modules/drs/node_modules/@matbee"), { recursive: true });
    expect(drs("doctor").stdout).toContain("install LibreOffice, or npm install @matbee/libreoffice-converter");
    await writeFile(join(folder, "letter.pdf"), makePdf({ pages: [{ text: "Herons stay." }] }));
    expect(drs("upload", "letter.pdf", "--json")).toMatchObject({ status: 0 });
    await writeFile(join(folder, "letter.docx"), makeDocx({ paragraphs: ["Herons leave."] }));
    const { status, stdout } = drs("upload", "letter.docx", "--json");
    expect({ status, stdout }).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(
        /cannot be converted here: .*libreoffice-converter is not installed; install LibreOffice/,
      ),
    });
  });

  test("hold a client for programs", async () => {
    const project = join(folder, "project");
    await mkdir(project);
    await writeFile(join(project, "package.json"), '{"type":"module"}');
    const { status, stderr } = npm(["install", ...(await tarballs(join(built, "clients")))], project);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const program =
      'import { createDrs } from "@drs/client"; console.log(typeof createDrs({ server: "http://127.0.0.1:1" }).search)';
    const ran = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
      cwd: project,
      encoding: "utf8",
    });
    expect(ran).toMatchObject({ stdout: "function\n" });
  });
});
