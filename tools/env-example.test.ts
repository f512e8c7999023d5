import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { settingDefinitions } from "../server/settings/settings.ts";
import { tracingVariables } from "../server/tracing/settings.ts";
import { variables } from "../server/settings/variables.ts";

/** Variables whose default depends on the machine. */
const ofMachine: readonly string[] = ["DRS_DATA_DIR", "DRS_WORKERS"];

function defaultOf(variable: string): string {
  const definition = settingDefinitions.find((candidate) => candidate.variable === variable);
  return ofMachine.includes(variable) ? "" : (definition?.default ?? "");
}

test(".env.example has every variable that a person may set, with its meaning and its default", async () => {
  const [, ...entries] = (await readFile(new URL("../.env.example", import.meta.url), "utf8")).trim().split("\n\n");
  expect(entries).toEqual(
    [...variables.filter(({ for: use }) => use !== "own"), ...tracingVariables].map(
      ({ name, description }) => `# ${description}\n# ${name}=${defaultOf(name)}`,
    ),
  );
});
