import { settingDefinitions } from "../../server/settings/settings.ts";
import { tracingVariables } from "../../server/tracing/settings.ts";
import { noWorker, type Variable, variables } from "../../server/settings/variables.ts";
import { code, prose, table } from "./markdown.ts";

/** Descriptions of defaults that depend on the machine, by variable. */
const ofMachine: Readonly<Record<string, string>> = {
  DRS_DATA_DIR: "`$XDG_DATA_HOME/drs`, or `~/.local/share/drs`",
  DRS_WORKERS: "processors, at most 8",
};

/** Returns tables of the settings of servers and workers, and of the variables of the command line. */
export function settingsReference(): string {
  const rows = settingDefinitions.map(({ flag, variable, default: fallback, description }) => [
    code(flag),
    code(variable),
    ofMachine[variable] ?? (fallback === "" ? "unset" : code(fallback)),
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

/** Whether a flag can set the variable, too. */
const isFlag = ({ name }: Variable): boolean =>
  name === noWorker.name || settingDefinitions.some(({ variable }) => variable === name);

function meanings(variables: readonly Pick<Variable, "name" | "description">[]): string {
  return table(
    ["variable", "meaning"],
    variables.map(({ name, description }) => [code(name), prose(description)]),
  );
}

const envExampleHead = `# Settings of drs, each with its default; an empty value means unset, or determined by the machine. Copy this file to .env and
# remove the # from the settings that you change. \`npm run dev\`, the debugger, \`node --env-file\`, \`docker run --env-file\` and
# systemd's EnvironmentFile read .env. Variables of the shell and options of the command line override it.`;

/** Returns `.env.example`: every variable that a person may set, with its meaning and its default. */
export function envExample(): string {
  const settable = [...variables.filter(({ for: use }) => use !== "own"), ...tracingVariables];
  const entries = settable.map(({ name, description }) => {
    const definition = settingDefinitions.find(({ variable }) => variable === name && !(variable in ofMachine));
    return `# ${description}\n# ${name}=${definition?.default ?? ""}`;
  });
  return `${[envExampleHead, ...entries].join("\n\n")}\n`;
}
