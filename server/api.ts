import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { createApiReadiness, type ReadinessState } from "./health/readiness.ts";
import type { Settings } from "./settings/settings.ts";
import { createConsoleFiles } from "./startup/console-files.ts";
import { createAuthenticate } from "./domain/authenticate.ts";
import type { Domain } from "./domain/domain.ts";
import { createAttempts } from "./domain/idempotency/attempts.ts";
import type { KeyId, MemberId, SessionId } from "./domain/ids.ts";
import { createJobFeed } from "./domain/jobs/feed.ts";
import { createPacks } from "./domain/models/packs.ts";
import { createLimitsOf } from "./domain/plans/limits-of.ts";
import type { Meter } from "./domain/ports/meter.ts";
import type { Tracing } from "./domain/ports/tracing.ts";
import { createSharedBuckets, createTokenBuckets } from "./domain/rates/token-buckets.ts";
import { createSearchQueue } from "./domain/search/fair-queue.ts";
import { createShareLinks } from "./domain/shares/links.ts";
import { openShare } from "./domain/shares/open.ts";
import { createCredentialMonitor } from "./domain/credential-monitor.ts";
import { createSealing } from "./domain/webhooks/sealing.ts";
import { createUploadTurns } from "./domain/uploads/turns.ts";
import { createRequestLog } from "./domain/use-log.ts";
import { createUseLog, type UseLog } from "./domain/use-log.ts";
import { createPackFolders, openPackRegistry, type PackFolders } from "./embedding/registry.ts";
import { createSmallQueries } from "./embedding/small-queries.ts";
import { documentFormats } from "./formats/identify.ts";
import { readOperatorState } from "./metrics/operator-state.ts";
import type { Supervisor } from "./pipeline/process/supervisor.ts";
import { createMcpEndpoint } from "./mcp/http.ts";
import { createAllowedAddresses } from "./remote/allowed-addresses.ts";
import { createPosts } from "./remote/posts.ts";
import { createRemoteFiles } from "./remote/remote-files.ts";
import { isShared } from "./startup/storage-mode.ts";
import { createSignIn } from "./startup/sign-in.ts";
import type { Stores } from "./stores.ts";
import type { ProveIdentity } from "./transport/endpoints/service.ts";
import { createRates } from "./transport/limits/rates.ts";
import { createTransport, type Transport } from "./transport/server.ts";
import { creations } from "./transport/services/creations.ts";
import { routes, services } from "./transport/services/index.ts";

/** The part of an API process that answers requests. */
export interface Api {
  readonly domain: Domain;
  readonly transport: Transport;
  readonly readiness: ReadinessState;
  /** Times of last use and counters, which are collected in memory and written to the store periodically. */
  readonly useLogs: readonly Pick<UseLog<string>, "flush">[];
}

interface Options {
  /** The stores, wrapped so that the metrics time each call. */
  readonly stores: Stores;
  /** The stores without timing, for metrics scrapes: a scrape must not count as work of the service. */
  readonly untimed: Pick<Stores, "metadata">;
  readonly settings: Settings;
  readonly supervisor: Supervisor;
  readonly proveIdentity: ProveIdentity;
  readonly meter: Meter;
  readonly tracing: Tracing;
  readonly registry: Registry;
  readonly log: Logger;
}

/** Puts the parts of an API process together; it listens when `transport.listen` is called. */
export async function createApi({
  stores,
  untimed,
  settings,
  supervisor,
  proveIdentity,
  meter,
  tracing,
  registry,
  log,
}: Options): Promise<Api> {
  const { metadata, clock } = stores;
  const packFolders = createPackFolders(metadata.packs, settings.modelsDir);
  const uses = createUses(stores);
  const monotonic = (): number => performance.now();
  const limitsOf = createLimitsOf(metadata, monotonic);
  // A data folder has only one server, which can therefore count in memory.
  const calls = isShared(settings) ? createSharedBuckets(metadata.rates, monotonic) : createTokenBuckets(monotonic);
  const domain = await createDomain({
    stores,
    settings,
    supervisor,
    packFolders,
    limitsOf,
    renditionUses: uses.renditions,
    meter,
    tracing,
  });
  const readiness = createApiReadiness({ stores, supervisor, packFolders, dataDir: settings.dataDir, log });
  const authenticate = createAuthenticate(metadata, uses, clock);
  const consoleFiles = settings.console === "on" ? createConsoleFiles() : undefined;
  const transport = createTransport({
    routes: routes(domain, authenticate, { hasConsole: consoleFiles !== undefined }),
    services,
    authenticate,
    openShare: (input, signal) => openShare(domain, input, signal),
    rates: createRates({ calls, failures: createTokenBuckets(monotonic) }, limitsOf, uses.requests),
    idempotency: { attempts: createAttempts(metadata.idempotency, clock), creations: creations(domain) },
    readiness: readiness.check,
    proveIdentity,
    registry,
    async operatorState() {
      const [state, ready] = await Promise.all([
        readOperatorState(registry, untimed.metadata, Date.now),
        readiness.check(),
      ]);
      return { ...state, readiness: ready };
    },
    tracing,
    log,
    publicUrl: settings.publicUrl,
    trustedProxies: settings.trustedProxies,
    shareDelivery: settings.shareDelivery,
    providerSignIn: domain.providerSignIn,
    mcp: createMcpEndpoint(),
    console: consoleFiles,
  });
  return { domain, transport, readiness, useLogs: Object.values(uses) };
}

function createUses({ metadata, clock }: Stores) {
  return {
    keys: createUseLog<KeyId>((uses) => metadata.keys.touch(uses)),
    members: createUseLog<MemberId>((uses) => metadata.members.touch(uses)),
    sessions: createUseLog<SessionId>((uses) => metadata.sessions.touch(uses)),
    renditions: createUseLog<string>((uses) => metadata.renditions.touch(uses)),
    requests: createRequestLog((counts) => metadata.usage.addRequests(counts), clock),
  };
}

type DomainParts = Pick<Options, "stores" | "settings" | "supervisor" | "meter" | "tracing"> &
  Pick<Domain, "limitsOf" | "renditionUses"> & { readonly packFolders: PackFolders };

async function createDomain({
  stores,
  settings,
  supervisor,
  packFolders,
  limitsOf,
  renditionUses,
  meter,
  tracing,
}: DomainParts): Promise<Domain> {
  const { metadata, clock } = stores;
  const packRegistry = openPackRegistry(settings.modelsDir);
  const allowed = createAllowedAddresses(settings.urlAllow);
  return {
    ...stores,
    formats: documentFormats,
    worker: {
      ...supervisor,
      ...createSmallQueries({ folders: packFolders, worker: supervisor }),
      wake() {
        supervisor.wake();
        metadata.announceWork();
      },
    },
    packs: createPacks(metadata.packs, packRegistry),
    packRegistry,
    remoteFiles: createRemoteFiles(allowed),
    posts: createPosts(allowed),
    sealing: createSealing(settings.webhookKeys),
    providerSignIn: await createSignIn(settings, stores),
    shareLinks: createShareLinks({ signingKeys: metadata.signingKeys, clock }),
    renditionUses,
    uploadTurns: createUploadTurns(),
    searchQueue: createSearchQueue(),
    jobFeed: createJobFeed(metadata),
    standing: createCredentialMonitor(metadata, clock),
    meter,
    tracing,
    limitsOf,
    limits: { maxUploadBytes: settings.maxUploadBytes, maxDocumentBytes: settings.maxDocumentBytes },
  };
}
