import { readFileSync } from "node:fs";
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

  test("every one that a user may set is in README, and README has no others", () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    const named = new Set(readme.match(/\bDRS_[A-Z_]*[A-Z]/g));
    const settable = variables.filter(({ for: use }) => use === "server" || use === "client");
    expect([...named].toSorted()).toEqual(settable.map(({ name }) => name).toSorted());
  });
});
