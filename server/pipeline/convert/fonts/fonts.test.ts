import { createConverters } from "../select.ts";
import { makeDocx } from "../../../../test/fixtures/ooxml.ts";
import { hasTool, toolReason } from "../../../../test/service/tools.ts";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { layOutFonts } from "./font-config.ts";

let folder: string;
let config: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-fonts-test-"));
  config = await layOutFonts(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("fonts as wide as Microsoft's come out of the package whole, and fonts for Japanese, Korean and Chinese", async () => {
  const names = await readdir(join(folder, "fonts"));
  for (const family of ["Carlito", "Caladea", "LiberationSans", "LiberationSerif", "LiberationMono"]) {
    expect(names.filter((name) => name.startsWith(`${family}-`))).toHaveLength(4);
  }
  expect(names).toEqual(
    expect.arrayContaining(["NotoSansJP-Regular.otf", "NotoSansKR-Bold.otf", "NotoSansHans-Regular.otf"]),
  );
  for (const name of names) {
    // The signatures of TrueType and of OpenType with CFF outlines (OpenType 1.9, "Organization of an OpenType font").
    expect(["00010000", "4f54544f"]).toContain((await readFile(join(folder, "fonts", name))).toString("hex", 0, 4));
  }
});

const hasFontconfig = spawnSync("fc-match", ["--version"]).error === undefined;

test.skipIf(!hasFontconfig)(`fontconfig takes them${hasFontconfig ? "" : " (skipped: fc-match not installed)"}`, () => {
  const match = (pattern: string): string =>
    spawnSync("fc-match", ["-f", "%{family}", pattern], { env: { FONTCONFIG_FILE: config }, encoding: "utf8" }).stdout;
  expect(match("Carlito")).toBe("Carlito");
  expect(match(":lang=ko:charset=AC01")).not.toBe(match(":lang=en"));
});

/** A word of each script with a bundled font, and the font. */
const scripts = [
  ["NotoSansBengali", "বাতিঘর"],
  ["NotoSansEthiopic", "መብራት"],
  ["NotoSansGujarati", "દીવાદાંડી"],
  ["NotoSansGurmukhi", "ਚਾਨਣ"],
  ["NotoSansKannada", "ದೀಪಸ್ತಂಭ"],
  ["NotoSansKhmer", "ប៉មភ្លើង"],
  ["NotoSansMalayalam", "വിളക്കുമാടം"],
  ["NotoSansMyanmar", "မီးပြတိုက်"],
  ["NotoSansOriya", "ଆଲୋକସ୍ତମ୍ଭ"],
  ["NotoSansSinhala", "ප්‍රදීපාගාරය"],
  ["NotoSansTamil", "கலங்கரை"],
  ["NotoSansTelugu", "దీపస్తంభం"],
  ["NotoSansThai", "ประภาคาร"],
  ["NotoSerifTibetan", "གློག་འོད་"],
  ["NotoEmoji", "🚀"],
] as const;

const codeOf = (word: string): string => (word.codePointAt(0) ?? 0).toString(16);

describe.each([
  { engine: "soffice", tools: ["soffice"] },
  { engine: "wasm", tools: [] },
] as const)("$engine", ({ engine, tools }) => {
  const isAbsent = tools.some((name) => !hasTool(name));

  test.skipIf(isAbsent)(
    `shows the letters of scripts that Office's fonts lack${toolReason(...tools)}`,
    async () => {
      const conversions = createConverters({ choice: engine });
      try {
        const [file, output] = [join(folder, "scripts.docx"), join(folder, `scripts-${engine}.pdf`)];
        await writeFile(file, makeDocx({ paragraphs: scripts.map(([, word]) => word) }));
        const { signal } = new AbortController();
        await conversions.convert({ file, extension: "docx", output }, { signal, timeoutMs: 120_000 });
        // A font is in the PDF if a letter of it is on a page.
        const pdf = await readFile(output, "latin1");
        const embedded = new Set(Array.from(pdf.matchAll(/\/BaseFont\/[A-Z]{6}\+(\w+)-/g), ([, name]) => name));
        // If the system has a font of its own, LibreOffice may use that.
        const others = (word: string): string =>
          engine === "wasm" ? "" : spawnSync("fc-list", [`:charset=${codeOf(word)}`], { encoding: "utf8" }).stdout;
        const lacking = scripts.filter(([, word]) => others(word) === "").map(([family]) => family);
        expect(lacking.length).toBeGreaterThan(0);
        expect([...embedded]).toEqual(expect.arrayContaining(lacking));
      } finally {
        await conversions.close();
      }
    },
    240_000,
  );
});
