import type { Clock } from "./clock.ts";
import type { JobFeed } from "./jobs/feed.ts";
import type { Packs } from "./models/packs.ts";
import type { LimitsOf } from "./plans/limits-of.ts";
import type { BlobStore } from "./ports/blobs.ts";
import type { FeatureCodec } from "./ports/features.ts";
import type { DocumentFormats } from "./documents/source.ts";
import type { Metadata } from "./ports/metadata.ts";
import type { Meter } from "./ports/meter.ts";
import type { Tracing } from "./ports/tracing.ts";
import type { PackRegistry } from "./ports/packs.ts";
import type { Posts, RemoteFiles } from "./ports/remote.ts";
import type { VectorStore } from "./ports/vector-store.ts";
import type { PageWorker } from "./ports/worker.ts";
import type { SearchQueue } from "./search/fair-queue.ts";
import type { RenditionUses } from "./use-log.ts";
import type { ShareLinks } from "./shares/links.ts";
import type { CredentialMonitor } from "./credential-monitor.ts";
import type { ProviderSignIn } from "./ports/provider-sign-in.ts";
import type { UploadTurns } from "./uploads/turns.ts";
import type { Sealing } from "./webhooks/sealing.ts";

/** The dependencies of the domain's verbs; the composition root provides them. */
export interface Domain {
  readonly metadata: Metadata;
  readonly blobs: BlobStore;
  readonly vectors: VectorStore;
  readonly features: FeatureCodec;
  readonly formats: DocumentFormats;
  readonly worker: PageWorker;
  readonly packs: Packs;
  readonly packRegistry: PackRegistry;
  readonly remoteFiles: RemoteFiles;
  readonly posts: Posts;
  readonly sealing: Sealing;
  readonly shareLinks: ShareLinks;
  readonly renditionUses: RenditionUses;
  readonly uploadTurns: UploadTurns;
  readonly searchQueue: SearchQueue;
  readonly jobFeed: JobFeed;
  /** Undefined if no provider is configured. */
  readonly providerSignIn: ProviderSignIn | undefined;
  readonly standing: CredentialMonitor;
  readonly meter: Meter;
  readonly tracing: Tracing;
  readonly clock: Clock;
  readonly limits: Limits;
  /** Limits of an organisation's plan; the smaller of both limits applies. */
  readonly limitsOf: LimitsOf;
}

export interface Limits {
  /** Largest document that one request may upload, bytes. */
  readonly maxUploadBytes: number;
  /** Largest document that may come in parts or from a URL, bytes. */
  readonly maxDocumentBytes: number;
}
