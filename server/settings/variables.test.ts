import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { checkVariables, variables } from "./variables.ts";

describe("variables that begin with DRS_", () => {
  test.each([
    ["DRS_CACHE_BYTE", /no environment variable DRS_CACHE_BYTE; did you mean DRS_CACHE_BYTES\?/],
    ["DRS_DATADIR", /did you mean DRS_DATA_DIR\?/],
    ["DRS_APIKEY", /did you mean DRS_API_KEY\?/],
    ["DRS_SOMETHING", /DRS_SOMETHING; unset it/],
    ["DRS_", /no environment variable DRS_;/],
  ])("%s is refused", (name, message) => {
    expect(() => checkVariables({ [name]: "1" })).toThrow(message);
  });

  test("every known one may be set, and those of tests and of Kubernetes", () => {
    const others = ["DRS_TEST_MINILM", "DRS_FUZZ_SEED", "DRS_SERVICE_HOST", "DRS_PORT_8420_TCP_ADDR", "PATH", "DRSX"];
    for (const name of [...variables.map(({ name }) => name), ...others]) {
      expect(() => checkVariables({ [name]: "x" })).not.toThrow();
    }
    expect(() => checkVariables({ DRS_GONE: undefined })).not.toThrow();
  });

  test("every one that a user may set is in the reference, and documents name no others", () => {
    const root = fileURLToPath(new URL("../..", import.meta.url));
    const namedIn = (path: string): readonly string[] =>
      readFileSync(join(root, path), "utf8").match(/\bDRS_(?!TEST_|FUZZ_)[A-Z_]*[A-Z]\b/g) ?? [];
    const settable = variables.filter(({ for: use }) => use === "server" || use === "client").map(({ name }) => name);
    expect([...new Set(namedIn("docs/reference/settings.md"))].toSorted()).toEqual(settable.toSorted());
    const documents = globSync(["README.md", "docs/**/*.md"], {
      cwd: root,
      exclude: ["docs/decisions/**", "docs/how-to/contributing/**"],
    });
    const known = variables.map(({ name }) => name);
    expect(documents.flatMap(namedIn).filter((name) => !known.includes(name))).toEqual([]);
  });
});
