import { readFileSync } from "node:fs";
import { availableParallelism, homedir } from "node:os";
import { join, resolve } from "node:path";
import { oidcDefinitions, readOidcSettings, type OidcSettings } from "./oidc-settings.ts";
import { setting, type SettingDefinition as Definition, type SettingTexts } from "./setting-definition.ts";
import { SettingError, addresses, baseUrl, bytes, integer, keys, list, oneOf } from "./setting-values.ts";
import { shownName, suggestion } from "./spelling.ts";

/** All settings of the server. Sizes are in bytes, times in milliseconds. */
export interface Settings extends OidcSettings {
  readonly dataDir: string;
  readonly host: string;
  /** The port; 0 for any free one. */
  readonly port: number;
  /** The public URL without a slash at the end; undefined to use the URL of each request. */
  readonly publicUrl: string | undefined;
  /** Addresses and CIDR ranges of trusted proxies. */
  readonly trustedProxies: readonly string[];
  readonly databaseUrl: string | undefined;
  /** Maximum connections of each process to a database server. */
  readonly databaseConnections: number;
  readonly blobUrl: string | undefined;
  readonly vectorUrl: string | undefined;
  /** Whether share links redirect to a URL of the store, if the store has such URLs, instead of returning the bytes. */
  readonly shareDelivery: "stream" | "redirect";
  /** Whether the web console is served at `/`. */
  readonly console: "on" | "off";
  /** Threads for job work. */
  readonly workers: number;
  /** "builtin", an installed pack, or a pack's folder; undefined for the pack in use, which is the built-in one at first. */
  readonly model: string | undefined;
  /** The folder of installed packs. */
  readonly modelsDir: string;
  readonly renditions: "on-demand" | "eager";
  readonly cacheBytes: number;
  /** Size limit of the local cache for documents of a remote store. */
  readonly localCacheBytes: number;
  /** Size limit of the index's caches in memory; at least 48 MB. */
  readonly vectorCacheBytes: number;
  readonly maxUploadBytes: number;
  /** Maximum size of a document that is uploaded in parts or fetched from a URL. */
  readonly maxDocumentBytes: number;
  readonly pageTimeoutMs: number;
  readonly workerMemoryBytes: number;
  /** The converter of Office documents; `auto` uses the system's LibreOffice if it is installed, otherwise its WebAssembly build. */
  readonly converter: "auto" | "soffice" | "wasm";
  /** The time limit of one conversion after it has started. */
  readonly convertTimeoutMs: number;
  /** Maximum pages of a printed spreadsheet. */
  readonly maxSheetPages: number;
  /** Hosts, addresses and CIDR ranges that are not public but may be fetched from. */
  readonly urlAllow: readonly string[];
  /** The time within which a receiver of webhooks must answer. */
  readonly webhookTimeoutMs: number;
  /** The time before the expiry of a dataset at which its webhooks are notified. */
  readonly webhookExpiryNoticeHours: number;
  /** Keys that encrypt the secrets of webhooks in the database: the first one encrypts, all decrypt. Without any, the secrets are stored in plain text. */
  readonly webhookKeys: readonly string[];
  /** The time that a server keeps answering after the signal to stop, while it reports that it is not ready. */
  readonly drainDelayMs: number;
  /** The port of the health checks of `drs worker`; undefined for none, 0 for any free one. */
  readonly healthPort: number | undefined;
  readonly log: LogLevel;
}

const logLevels = ["silent", "error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof logLevels)[number];

export type SettingDefinition = Definition<keyof Settings>;

export const settingDefinitions: readonly SettingDefinition[] = [
  setting("dataDir", "DIR", "folder for documents, metadata, index and credentials", defaultDataDir()),
  setting("host", "HOST", "address to listen on", "127.0.0.1"),
  setting("port", "PORT", "port to listen on; 0 takes any free one", "8420"),
  setting("publicUrl", "URL", "public URL of this server, with which share links begin", undefined),
  setting(
    "trustedProxies",
    "LIST",
    "addresses and CIDR ranges of trusted proxies, whose Forwarded or X-Forwarded-* headers name the client, for limits by address, and, without a public URL, the start of share links",
    "",
  ),
  setting(
    "databaseUrl",
    "URL",
    "metadata database: postgres://user:password@host/name; unset: SQLite in the data folder",
    undefined,
  ),
  setting("databaseConnections", "N", "maximum connections of each process to the PostgreSQL server", "10"),
  setting("blobUrl", "URL", "blob store, s3://BUCKET/PREFIX; unset: the data folder", undefined),
  setting("vectorUrl", "URL", "vector store, s3://BUCKET/PREFIX or db://NAME; unset: the data folder", undefined),
  setting(
    "shareDelivery",
    "HOW",
    "how share links deliver documents and pages from S3: stream, or redirect to a presigned URL that is valid for 60 s",
    "stream",
  ),
  setting("console", "HOW", "whether the web console is served at /: on or off", "on"),
  setting("workers", "N", "threads that read and embed pages", String(Math.min(8, availableParallelism()))),
  setting(
    "model",
    "PACK",
    "model pack to use: builtin, an installed one (drs models list), or the folder of one; unset: the one in use, builtin at first",
    undefined,
  ),
  setting("modelsDir", "DIR", "folder of installed model packs; unset: models in the data folder", undefined),
  setting("renditions", "WHEN", "when page pictures and one-page PDFs are rendered: on-demand or eager", "on-demand"),
  setting("cacheBytes", "SIZE", "size limit of the rendition cache", "10GB"),
  setting("localCacheBytes", "SIZE", "size limit of the local cache of documents, if a blob URL is set", "10GB"),
  setting("vectorCacheBytes", "SIZE", "size limit of the index's caches in memory, at least 48MB", "192MB"),
  setting("maxUploadBytes", "SIZE", "maximum size of a document in one request", "100MB"),
  setting(
    "maxDocumentBytes",
    "SIZE",
    "maximum size of a document that is uploaded in parts or fetched from a URL",
    "4GB",
  ),
  setting("pageTimeoutMs", "MS", "time limit of one page", "30000"),
  setting(
    "workerMemoryBytes",
    "SIZE",
    "memory above which the worker is replaced by a new one; nothing fails",
    "1500MB",
  ),
  setting("converter", "ENGINE", "converter of Office documents: auto, soffice or wasm", "auto"),
  setting("convertTimeoutMs", "MS", "time limit of one conversion", "90000"),
  setting("maxSheetPages", "N", "maximum pages of a printed spreadsheet", "2000"),
  setting(
    "urlAllow",
    "LIST",
    "hosts and address ranges, comma-separated, that are not public but may be fetched from and sent webhooks",
    "",
  ),
  setting("webhookTimeoutMs", "MS", "time within which a receiver of webhooks must answer", "20000"),
  setting(
    "webhookExpiryNoticeHours",
    "HOURS",
    "hours before the expiry of a dataset at which its webhooks are notified",
    "24",
  ),
  setting(
    "webhookKeys",
    "LIST",
    "keys of at least 32 characters, comma-separated, that encrypt the secrets of webhooks in the database: the first one encrypts, all decrypt; unset: secrets are stored in plain text",
    undefined,
  ),
  ...oidcDefinitions,
  setting(
    "drainDelayMs",
    "MS",
    "time that a server keeps answering after the signal to stop, while it reports that it is not ready, so that proxies notice",
    "0",
  ),
  setting(
    "healthPort",
    "PORT",
    "port on which a worker answers /healthz, /readyz and /metrics; unset: none",
    undefined,
  ),
  setting(
    "log",
    "LEVEL",
    `log level on stderr, as text on a terminal, otherwise as JSON: ${logLevels.join(", ")}`,
    "info",
  ),
];

export interface SettingSources {
  /** Flags by the `name` of the setting, as typed. */
  readonly flags?: Readonly<Partial<Record<keyof Settings, string>>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Reads settings from flags, environment and config file (`DRS_CONFIG`, JSON), in this order. Throws `SettingError`. */
export function readSettings(sources: SettingSources = {}): Settings {
  const texts = textsOf(sources);
  const { text, need } = texts;
  const dataDir = resolve(need("dataDir"));
  return {
    dataDir,
    host: need("host"),
    port: integer(flagOf("port"), need("port"), 0, 65535),
    publicUrl: baseUrl(flagOf("publicUrl"), text("publicUrl")),
    trustedProxies: addresses(flagOf("trustedProxies"), list(text("trustedProxies"))),
    databaseUrl: text("databaseUrl"),
    databaseConnections: integer(flagOf("databaseConnections"), need("databaseConnections"), 2, 1_000),
    blobUrl: text("blobUrl"),
    vectorUrl: text("vectorUrl"),
    shareDelivery: oneOf(flagOf("shareDelivery"), need("shareDelivery"), ["stream", "redirect"]),
    console: oneOf(flagOf("console"), need("console"), ["on", "off"]),
    workers: integer(flagOf("workers"), need("workers"), 1, 64),
    model: text("model"),
    modelsDir: resolve(text("modelsDir") ?? join(dataDir, "models")),
    renditions: oneOf(flagOf("renditions"), need("renditions"), ["on-demand", "eager"]),
    cacheBytes: bytes(flagOf("cacheBytes"), need("cacheBytes")),
    localCacheBytes: bytes(flagOf("localCacheBytes"), need("localCacheBytes")),
    // LanceDB may wait forever for an entry that does not fit into its caches.
    vectorCacheBytes: bytes(flagOf("vectorCacheBytes"), need("vectorCacheBytes"), "48MB"),
    maxUploadBytes: bytes(flagOf("maxUploadBytes"), need("maxUploadBytes")),
    maxDocumentBytes: bytes(flagOf("maxDocumentBytes"), need("maxDocumentBytes")),
    pageTimeoutMs: integer(flagOf("pageTimeoutMs"), need("pageTimeoutMs"), 100, 3_600_000),
    workerMemoryBytes: bytes(flagOf("workerMemoryBytes"), need("workerMemoryBytes")),
    converter: oneOf(flagOf("converter"), need("converter"), ["auto", "soffice", "wasm"]),
    convertTimeoutMs: integer(flagOf("convertTimeoutMs"), need("convertTimeoutMs"), 1_000, 3_600_000),
    maxSheetPages: integer(flagOf("maxSheetPages"), need("maxSheetPages"), 1, 100_000),
    urlAllow: list(text("urlAllow")),
    webhookTimeoutMs: integer(flagOf("webhookTimeoutMs"), need("webhookTimeoutMs"), 100, 30_000),
    // Deliveries are stored for a week, and show what has been announced.
    webhookExpiryNoticeHours: integer(flagOf("webhookExpiryNoticeHours"), need("webhookExpiryNoticeHours"), 1, 144),
    webhookKeys: keys(flagOf("webhookKeys"), list(text("webhookKeys"))),
    ...readOidcSettings(texts),
    drainDelayMs: integer(flagOf("drainDelayMs"), need("drainDelayMs"), 0, 600_000),
    healthPort:
      text("healthPort") === undefined ? undefined : integer(flagOf("healthPort"), need("healthPort"), 0, 65535),
    log: oneOf(flagOf("log"), need("log"), logLevels),
  };
}

/**
 * Reads only the data folder, for clients, which need no other setting of the server. Throws `SettingError` if the config
 * file cannot be used.
 */
export function readDataDir(sources: SettingSources): string {
  return resolve(textsOf(sources).need("dataDir"));
}

function textsOf({ flags = {}, env = process.env }: SettingSources): SettingTexts<keyof Settings> {
  const file = readConfigFile(env["DRS_CONFIG"]);
  const text = (name: keyof Settings): string | undefined => {
    const definition = settingDefinitions.find((candidate) => candidate.name === name);
    if (definition === undefined) return undefined;
    const value = flags[name] ?? env[definition.variable] ?? file.get(keyOf(definition)) ?? definition.default;
    return value === "" ? undefined : value;
  };
  const need = (name: keyof Settings): string => {
    const value = text(name);
    if (value === undefined) throw new SettingError(`${flagOf(name)} must not be empty`);
    return value;
  };
  return { text, need, flagOf };
}

/** The default data folder: in the XDG data home. */
export function defaultDataDir(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return join(env["XDG_DATA_HOME"] || join(homedir(), ".local", "share"), "drs");
}

function flagOf(name: keyof Settings): string {
  const definition = settingDefinitions.find((candidate) => candidate.name === name);
  return `${definition?.flag} (${definition?.variable})`;
}

/** The name of a setting in the config file. */
function keyOf({ flag }: SettingDefinition): string {
  return flag.slice(2);
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
  const known = settingDefinitions.map(keyOf);
  if (!known.includes(key)) throw new Error(`"${shownName(key)}" is no setting${suggestion(key, known)}`);
  for (const item of Array.isArray(value) ? value : [value]) {
    if (item === null || typeof item === "object")
      throw new Error(`"${key}" must be a text, a number or a list of them`);
  }
  return String(value);
}
