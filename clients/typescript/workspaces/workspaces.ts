import { createClient } from "@connectrpc/connect";
import type { Connection, CreateOptions, RequestOptions } from "../connection.ts";
import { createOnce } from "../creation.ts";
import { type Filter, filterOf, jsonOf } from "../datasets/metadata.ts";
import { KeyScope as WireScope } from "../gen/drs/v1/enums_pb.ts";
import {
  type ApiKey as WireKey,
  type Workspace as WireWorkspace,
  WorkspaceService,
} from "../gen/drs/v1/workspaces_pb.ts";
import { nameOf, present, valueOf, type WireNames } from "../wire-names.ts";

/** A permission of a key. */
export type KeyScope = "read" | "write" | "search" | "admin";

/** An isolated space of datasets, jobs and keys. */
export interface Workspace {
  readonly id: string;
  readonly organisationId: string;
  readonly name: string;
  /** Milliseconds since the epoch, UTC. */
  readonly createdAt: number;
}

/** An API key without its secret. Times are milliseconds since the epoch, UTC. */
export interface ApiKey {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly createdAt: number;
  /** Exact to a minute; null if never used. */
  readonly lastUsedAt: number | null;
  /** Null if it has not been revoked. */
  readonly revokedAt: number | null;
  /** When it expires; null if never. */
  readonly expiresAt: number | null;
  /** Its own limit of requests, beside that of its workspace; null if it has none. */
  readonly requestsPerMinute: number | null;
  /**
   * Filter that the key is bound to: it sees and creates only matching datasets of its workspace; null if it is not
   * bound.
   */
  readonly filter: Filter | null;
}

export interface NewApiKey extends ApiKey {
  /** The key itself, which is shown only here. */
  readonly key: string;
}

export interface Workspaces {
  list(options?: RequestOptions): Promise<readonly Workspace[]>;
  create(name: string, options?: CreateOptions): Promise<Workspace>;
}

export interface NewKey {
  /** Id or name of its workspace; default: the workspace of the calling key. */
  readonly workspace?: string | undefined;
  readonly name?: string | undefined;
  /** Default: read, write and search. */
  readonly scopes?: readonly KeyScope[] | undefined;
  /** Days until it expires, more than 0 and at most 3650; default: never. */
  readonly expiresInDays?: number | undefined;
  /** Its own limit of requests, 1 to 1,000,000; default: only the limit of its workspace. */
  readonly requestsPerMinute?: number | undefined;
  /** Binds the key permanently to datasets whose metadata matches; default: it sees all of its workspace. */
  readonly filter?: Filter | undefined;
}

export interface Rotation {
  /** How long the replaced key stays valid, hours, 0 to 720; default 24. */
  readonly overlapHours?: number | undefined;
}

export interface Keys {
  /** Lists keys. `workspace`: id or name; default: all of the organisation. */
  list(query?: { readonly workspace?: string | undefined }, options?: RequestOptions): Promise<readonly ApiKey[]>;
  create(key?: NewKey, options?: CreateOptions): Promise<NewApiKey>;
  /**
   * Creates a key with the same properties as another one, which stays valid for a while. A key can be rotated once.
   */
  rotate(id: string, rotation?: Rotation, options?: CreateOptions): Promise<NewApiKey>;
  revoke(id: string, options?: RequestOptions): Promise<ApiKey>;
}

export const keyScopes: WireNames<KeyScope, WireScope> = [
  ["read", WireScope.READ],
  ["write", WireScope.WRITE],
  ["search", WireScope.SEARCH],
  ["admin", WireScope.ADMIN],
];

export function createWorkspaces(connection: Connection): Workspaces {
  const client = createClient(WorkspaceService, connection.transport);
  return {
    async list(options) {
      const answer = await connection.call((call) => client.listWorkspaces({}, call), options);
      return answer.data.map(workspaceOf);
    },
    async create(name, options) {
      const answer = await createOnce(connection, (call) => client.createWorkspace({ name }, call), options);
      return workspaceOf(present(answer.workspace, "workspace"));
    },
  };
}

export function createKeys(connection: Connection): Keys {
  const client = createClient(WorkspaceService, connection.transport);
  return {
    async list({ workspace = "" } = {}, options) {
      const answer = await connection.call((call) => client.listKeys({ workspace }, call), options);
      return answer.data.map(keyOf);
    },
    async create({ workspace = "", name = "", scopes = [], expiresInDays, requestsPerMinute, filter } = {}, options) {
      const wire = scopes.map((scope) => valueOf(keyScopes, scope));
      const bounds = { expiresInDays, requestsPerMinute, ...(filter && { filter: jsonOf(filter) }) };
      const request = { workspace, name, scopes: wire, ...bounds };
      const answer = await createOnce(connection, (call) => client.createKey(request, call), options);
      return newKeyOf(present(answer.key, "key"));
    },
    async rotate(id, { overlapHours } = {}, options) {
      const answer = await createOnce(connection, (call) => client.rotateKey({ id, overlapHours }, call), options);
      return newKeyOf(present(answer.key, "key"));
    },
    async revoke(id, options) {
      const answer = await connection.call((call) => client.revokeKey({ id }, call), options);
      return keyOf(present(answer.key, "key"));
    },
  };
}

function workspaceOf({ id, organisationId, name, createdAt }: WireWorkspace): Workspace {
  return { id, organisationId, name, createdAt };
}

function newKeyOf(wire: WireKey): NewApiKey {
  return { ...keyOf(wire), key: present(wire.key, "key's secret") };
}

function keyOf(wire: WireKey): ApiKey {
  return {
    id: wire.id,
    workspaceId: wire.workspaceId,
    name: wire.name,
    scopes: wire.scopes.map((scope) => nameOf(keyScopes, scope)),
    createdAt: wire.createdAt,
    lastUsedAt: wire.lastUsedAt ?? null,
    revokedAt: wire.revokedAt ?? null,
    expiresAt: wire.expiresAt ?? null,
    requestsPerMinute: wire.requestsPerMinute ?? null,
    filter: wire.filter === undefined ? null : filterOf(wire.filter),
  };
}
