import type { Schema } from "../schema.ts";

/** How a table is copied. */
export interface CopiedTable {
  readonly name: keyof Schema;
  /** Its primary key. */
  readonly key: readonly string[];
}

/** What is done with each table. A table that refers to another one comes after it. */
const tables: { readonly [Name in keyof Schema]: { readonly key: readonly string[]; readonly how: How } } = {
  plans: { key: ["name"], how: "copied" },
  organisations: { key: ["id"], how: "copied" },
  members: { key: ["id"], how: "copied" },
  personalTokens: { key: ["id"], how: "copied" },
  invitations: { key: ["id"], how: "copied" },
  identities: { key: ["issuer", "subject"], how: "copied" },
  auditEvents: { key: ["id"], how: "copied" },
  workspaces: { key: ["id"], how: "copied" },
  apiKeys: { key: ["id"], how: "copied" },
  sessions: { key: ["id"], how: "copied" },
  signInCodes: { key: ["id"], how: "copied" },
  deviceCodes: { key: ["id"], how: "copied" },
  signingKeys: { key: ["id"], how: "copied" },
  packs: { key: ["id"], how: "copied" },
  datasets: { key: ["id"], how: "copied" },
  metadataValues: { key: ["datasetId", "field", "place"], how: "copied" },
  uploads: { key: ["key"], how: "copied" },
  uploadParts: { key: ["uploadKey", "partNumber"], how: "copied" },
  fetches: { key: ["datasetId"], how: "copied" },
  organisationTurns: { key: ["organisationId"], how: "copied" },
  jobs: { key: ["id"], how: "copied" },
  suspectPages: { key: ["jobId", "page"], how: "copied" },
  pages: { key: ["datasetId", "page"], how: "copied" },
  pageWords: { key: ["datasetId", "page"], how: "copied" },
  indices: { key: ["datasetId", "pack"], how: "copied" },
  indexPages: { key: ["datasetId", "pack", "page"], how: "copied" },
  features: { key: ["datasetId", "generation", "number"], how: "copied" },
  indexTables: { key: ["workspaceId", "pack"], how: "copied" },
  garbage: { key: ["kind", "key"], how: "copied" },
  attempts: { key: ["workspaceId", "method", "keySha256"], how: "copied" },
  webhooks: { key: ["id"], how: "copied" },
  callbackSecrets: { key: ["workspaceId"], how: "copied" },
  webhookDeliveries: { key: ["target", "messageId"], how: "copied" },
  requestCounts: { key: ["workspaceId", "month"], how: "copied" },
  dailyUsage: { key: ["workspaceId", "day"], how: "copied" },
  renditions: { key: ["key"], how: "left out" },
  duties: { key: ["name"], how: "left out" },
  turns: { key: ["workspaceId"], how: "counted" },
  rateBuckets: { key: ["id"], how: "left out" },
  pageCounts: { key: ["datasetId", "block"], how: "counted" },
  holdings: { key: ["workspaceId", "shard"], how: "counted" },
  tallies: { key: ["owner", "kind", "name", "shard"], how: "counted" },
};

/**
 * `counted`: kept by triggers, which count in the target what is copied; what they have counted is replaced by what the
 * source says. `left out`: it can be made again, or is of the processes that work on the source.
 */
type How = "copied" | "counted" | "left out";

const names = Object.keys(tables).filter((name): name is keyof Schema => name in tables);
const those = (how: How): readonly CopiedTable[] =>
  names.flatMap((name) => (tables[name].how === how ? [{ name, key: tables[name].key }] : []));

export const copiedTables = those("copied");
export const countedTables = those("counted");
