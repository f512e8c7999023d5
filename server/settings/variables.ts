import { settingDefinitions } from "./settings.ts";
import { SettingError } from "./setting-values.ts";
import { shownName, suggestion } from "./spelling.ts";

/** An environment variable of drs. */
export interface Variable {
  readonly name: string;
  /** `work` for developers of drs; `own` if drs sets it for its own processes. */
  readonly for: "server" | "client" | "work" | "own";
  readonly description: string;
}

const prefix = "DRS_";

/** The variable of the flag `--no-worker` of `drs serve`. */
export const noWorker = {
  name: "DRS_NO_WORKER",
  for: "server",
  description: "true: run no worker here; jobs wait for a drs worker on the same stores",
} as const satisfies Variable;

/** Returns whether a variable is `true`. Throws `SettingError` unless it is `true`, `false` or unset. */
export function isSet(name: string, env: Readonly<Record<string, string | undefined>>): boolean {
  const value = env[name] ?? "";
  if (!["", "true", "false"].includes(value)) throw new SettingError(`${name} must be true or false, not "${value}"`);
  return value === "true";
}

/** All variables that begin with `DRS_`: of the server, the command line and the development of drs. */
export const variables: readonly Variable[] = [
  { name: "DRS_CONFIG", for: "server", description: "config file in JSON, with the names of the flags as keys" },
  ...settingDefinitions.map(({ variable, description }) => ({ name: variable, for: "server" as const, description })),
  noWorker,
  { name: "DRS_VECTOR_API_KEY", for: "server", description: "key of LanceDB's service, for a vector URL db://NAME" },
  { name: "DRS_VECTOR_REGION", for: "server", description: "region of LanceDB's service, for a vector URL db://NAME" },
  { name: "DRS_SERVER", for: "client", description: "address of the server to use" },
  { name: "DRS_API_KEY", for: "client", description: "API key or personal token" },
  { name: "DRS_PROFILE", for: "client", description: "profile of drs login" },
  { name: "DRS_WORKSPACE", for: "client", description: "id or name of the workspace, for personal tokens" },
  {
    name: "DRS_LOCAL",
    for: "client",
    description: "never: commands fail if no server is running, instead of starting a temporary one",
  },
  { name: "DRS_HUB_URL", for: "client", description: "hub to pull model packs from, instead of huggingface.co" },
  { name: "DRS_HUB_TOKEN", for: "client", description: "token for the hub" },
  { name: "DRS_CORPUS", for: "work", description: "folder of real documents to test with" },
  { name: "DRS_EVAL_DATA", for: "work", description: "folder of questions to evaluate with" },
  { name: "DRS_LAUNCHER_PID", for: "own", description: "process that started this one under a newer Node" },
];

/**
 * Variables that only tests read, and those that Kubernetes sets in every pod next to a service named drs. Kubernetes also
 * sets DRS_PORT, to a value that is not a port: such a pod needs `enableServiceLinks: false`.
 */
const exempt = /^DRS_(?:TEST_|FUZZ_|SERVICE_(?:HOST|PORT)|PORT_\d+_(?:TCP|UDP))/;

/**
 * Throws `SettingError` for unknown variables, because a misspelt one would silently leave its setting unchanged.
 */
export function checkVariables(env: Readonly<Record<string, string | undefined>>): void {
  const known = variables.map(({ name }) => name);
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || !name.startsWith(prefix) || known.includes(name) || exempt.test(name)) continue;
    throw new SettingError(`drs knows no environment variable ${shownName(name)}${nearestVariable(name)}`);
  }
}

function nearestVariable(name: string): string {
  const meant = suggestion(
    name.slice(prefix.length),
    variables.flatMap(({ name, for: use }) => (use === "own" ? [] : name.slice(prefix.length))),
    prefix,
  );
  return meant.startsWith("; did you mean") ? meant : "; unset it, or look at drs --help and drs serve --help";
}
