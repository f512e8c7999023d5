import { settingDefinitions } from "../../server/settings/settings.ts";
import { tracingVariables } from "../../server/tracing/settings.ts";
import { noWorker, type Variable, variables } from "../../server/settings/variables.ts";
import { code, prose, table } from "./markdown.ts";

/** Defaults that depend on the machine. */
const ofMachine: Readonly<Record<string, string>> = {
  DRS_DATA_DIR: "`$XDG_DATA_HOME/drs`, or `~/.local/share/drs`",
  DRS_WORKERS: "processors, at most 8",
};

/** The settings of servers and workers, and the variables of the command line. */
export function settingsReference(): string {
  const rows = settingDefinitions.map(({ flag, variable, default: fallback, description }) => [
    code(flag),
    code(variable),
    ofMachine[variable] ?? (fallback === undefined || fallback === "" ? "unset" : code(fallback)),
    prose(description),
  ]);
  const workRow = [code("--no-worker"), code(noWorker.name), code("false"), prose(noWorker.description)];
  return [
    "## Servers and workers",
    table(["flag", "variable", "default", "meaning"], [...rows, workRow]),
    "## The command line",
    meanings(variables.filter((variable) => variable.for === "client")),
    "## Other variables of servers and workers",
    meanings([...variables.filter((variable) => variable.for === "server" && !isFlag(variable)), ...tracingVariables]),
  ].join("\n\n");
}

/** Whether a flag stands for it as well. */
const isFlag = ({ name }: Variable): boolean =>
  name === noWorker.name || settingDefinitions.some(({ variable }) => variable === name);

function meanings(variables: readonly Pick<Variable, "name" | "description">[]): string {
  return table(
    ["variable", "meaning"],
    variables.map(({ name, description }) => [code(name), prose(description)]),
  );
}
