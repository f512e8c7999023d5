import { readFileSync } from "node:fs";
import { availableParallelism, homedir } from "node:os";
import { join } from "node:path";
import { checkOidcSettings, oidcSettings } from "./oidc-settings.ts";
import { flagOf, namesOf, optional, type Setting, setting, type ValuesOf } from "./setting-definition.ts";
import {
  address,
  anyText,
  baseUrl,
  bytes,
  bytesFrom,
  folder,
  integer,
  listOf,
  oneOf,
  secretKey,
  SettingError,
} from "./setting-values.ts";
import { shownName, suggestion } from "./spelling.ts";

const logLevels = ["silent", "error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof logLevels)[number];

/** The settings of the server, in the order of the help and the reference. Sizes are in bytes, times in milliseconds. */
const table = {
  dataDir: setting("DIR", "folder for documents, metadata, index and credentials", defaultDataDir(), folder),
  host: setting("HOST", "address to listen on", "127.0.0.1", anyText),
  port: setting("PORT", "port to listen on; 0 takes any free one", "8420", integer(0, 65535)),
  /** The public URL without a slash at the end; undefined to use the URL of each request. */
  publicUrl: optional("URL", "public URL of this server, with which share links begin", baseUrl),
  trustedProxies: setting(
    "LIST",
    "addresses and CIDR ranges of trusted proxies: their Forwarded or X-Forwarded-* headers give the client's address for rate limits and, if no public URL is set, the base of share links",
    "",
    listOf(address),
  ),
  databaseUrl: optional(
    "URL",
    "metadata database: postgres://user:password@host/name; unset: SQLite in the data folder",
    anyText,
  ),
  databaseConnections: setting(
    "N",
    "maximum connections of each process to the PostgreSQL server",
    "10",
    integer(2, 1_000),
  ),
  blobUrl: optional("URL", "blob store, s3://BUCKET/PREFIX; unset: the data folder", anyText),
  vectorUrl: optional("URL", "vector store, s3://BUCKET/PREFIX or db://NAME; unset: the data folder", anyText),
  shareDelivery: setting(
    "HOW",
    "how share links deliver documents and pages from S3: stream, or redirect to a presigned URL that is valid for 60 s",
    "stream",
    oneOf(["stream", "redirect"]),
  ),
  console: setting("HOW", "whether the web console is served at /: on or off", "on", oneOf(["on", "off"])),
  workers: setting(
    "N",
    "threads that read and embed pages",
    String(Math.min(8, availableParallelism())),
    integer(1, 64),
  ),
  model: optional(
    "PACK",
    "model pack to use: builtin, an installed one (drs models list), or the folder of one; unset: the one in use, builtin at first",
    anyText,
  ),
  modelsDir: optional("DIR", "folder of installed model packs; unset: models in the data folder", folder),
  renditions: setting(
    "WHEN",
    "when page pictures and one-page PDFs are rendered: on-demand or eager",
    "on-demand",
    oneOf(["on-demand", "eager"]),
  ),
  cacheBytes: setting("SIZE", "size limit of the rendition cache", "10GB", bytes),
  localCacheBytes: setting("SIZE", "size limit of the local cache of documents, if a blob URL is set", "10GB", bytes),
  // LanceDB may wait forever for an entry that does not fit into its caches.
  vectorCacheBytes: setting(
    "SIZE",
    "size limit of the index's caches in memory, at least 48MB",
    "192MB",
    bytesFrom("48MB"),
  ),
  maxUploadBytes: setting("SIZE", "maximum size of a document in one request", "100MB", bytes),
  maxDocumentBytes: setting(
    "SIZE",
    "maximum size of a document that is uploaded in parts or fetched from a URL",
    "4GB",
    bytes,
  ),
  pageTimeoutMs: setting("MS", "time limit of one page", "30000", integer(100, 3_600_000)),
  workerMemoryBytes: setting(
    "SIZE",
    "memory above which the worker is replaced by a new one; no job fails",
    "1500MB",
    bytes,
  ),
  /** The converter; `auto` uses the system's LibreOffice if it is installed, otherwise its WebAssembly build. */
  converter: setting(
    "ENGINE",
    "converter of Office documents: auto, soffice or wasm",
    "auto",
    oneOf(["auto", "soffice", "wasm"]),
  ),
  /** The time limit of a conversion after it has started. */
  convertTimeoutMs: setting("MS", "time limit of one conversion", "90000", integer(1_000, 3_600_000)),
  maxSheetPages: setting("N", "maximum pages of a printed spreadsheet", "2000", integer(1, 100_000)),
  urlAllow: setting(
    "LIST",
    "hosts and address ranges, comma-separated, that are not public but may be fetched from and sent webhooks",
    "",
    listOf(anyText),
  ),
  webhookTimeoutMs: setting(
    "MS",
    "time within which a receiver of webhooks must answer",
    "20000",
    integer(100, 30_000),
  ),
  webhookExpiryNoticeHours: setting(
    "HOURS",
    "hours before the expiry of a dataset at which its webhooks are notified",
    "24",
    // Less than a week: deliveries are stored for a week and show which datasets have been announced.
    integer(1, 144),
  ),
  webhookKeys: setting(
    "LIST",
    "keys of at least 32 characters, comma-separated, that encrypt the secrets of webhooks in the database: the first one encrypts, all decrypt; unset: secrets are stored in plain text",
    "",
    listOf(secretKey),
  ),
  ...oidcSettings,
  drainDelayMs: setting(
    "MS",
    "time that a server keeps answering after the signal to stop, while it reports that it is not ready, so that proxies notice",
    "0",
    integer(0, 600_000),
  ),
  /** The port of the health checks of `drs worker`; 0 for any free one. */
  healthPort: optional(
    "PORT",
    "port on which a worker answers /healthz, /readyz and /metrics; unset: none",
    integer(0, 65535),
  ),
  log: setting(
    "LEVEL",
    `log level on stderr, as text on a terminal, otherwise as JSON: ${logLevels.join(", ")}`,
    "info",
    oneOf(logLevels),
  ),
};

type Values = ValuesOf<typeof table>;

/** The values of all settings. */
export interface Settings extends Values {
  /** The folder of installed packs, in the data folder unless it is set. */
  readonly modelsDir: string;
}

/** A setting with its names. */
export interface SettingDefinition extends Setting<unknown>, ReturnType<typeof namesOf> {
  readonly name: keyof Settings;
}

const isName = (name: string): name is keyof Settings => name in table;

export const settingDefinitions: readonly SettingDefinition[] = Object.keys(table)
  .filter(isName)
  .map((name) => ({ ...table[name], name, ...namesOf(name) }));

export interface SettingSources {
  /** Flags by the `name` of the setting, as typed. */
  readonly flags?: Readonly<Partial<Record<keyof Settings, string>>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Reads settings from flags, environment and config file (`DRS_CONFIG`, JSON), in this order. Throws `SettingError`. */
export function readSettings(sources: SettingSources = {}): Settings {
  const values = readValues(textsOf(sources));
  checkOidcSettings(values);
  return { ...values, modelsDir: values.modelsDir ?? join(values.dataDir, "models") };
}

/**
 * Reads only the data folder, for clients, which need no other setting of the server. Throws `SettingError` if the config
 * file cannot be used.
 */
export function readDataDir(sources: SettingSources): string {
  return table.dataDir.read(textsOf(sources)("dataDir"), flagOf("dataDir"));
}

/** Reads every setting of the table. The overload keeps the types of the values, which entries of an object lose. */
function readValues(textOf: Texts): Values;
function readValues(textOf: Texts): Readonly<Record<string, unknown>> {
  return Object.fromEntries(settingDefinitions.map(({ name, read }) => [name, read(textOf(name), flagOf(name))]));
}

/** Returns the text of a setting as written in its source; empty if it is unset. */
type Texts = (name: keyof Settings) => string;

function textsOf({ flags = {}, env = process.env }: SettingSources): Texts {
  const file = readConfigFile(env["DRS_CONFIG"]);
  return (name) => {
    const { key, variable } = namesOf(name);
    return flags[name] ?? env[variable] ?? file.get(key) ?? table[name].default;
  };
}

/** The default data folder: in the XDG data home. */
export function defaultDataDir(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return join(env["XDG_DATA_HOME"] || join(homedir(), ".local", "share"), "drs");
}

function readConfigFile(path: string | undefined): ReadonlyMap<string, string> {
  if (path === undefined || path === "") return new Map();
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
      throw new Error("it is not a JSON object");
    return new Map(Object.entries(parsed).map(([key, value]) => [key, settingText(key, value)]));
  } catch (cause) {
    throw new SettingError(
      `cannot use the config file ${path} (DRS_CONFIG): ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
}

/** Converts a value of the config file to the text of a flag; lists are joined with commas. */
function settingText(key: string, value: unknown): string {
  const known = settingDefinitions.map(({ key }) => key);
  if (!known.includes(key)) throw new Error(`"${shownName(key)}" is not a setting${suggestion(key, known)}`);
  for (const item of Array.isArray(value) ? value : [value]) {
    if (item === null || typeof item === "object")
      throw new Error(`"${key}" must be a text, a number or a list of them`);
  }
  return String(value);
}
