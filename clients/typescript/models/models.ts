import { createClient } from "@connectrpc/connect";
import type { Connection, RequestOptions } from "../connection.ts";
import { type Models as WireModels, ModelService } from "../gen/drs/v1/models_pb.ts";
import { present } from "../wire-names.ts";

/** A model pack, which turns pages and queries into vectors. */
export interface Model {
  /** Name and version, such as `builtin@1.0.0`. */
  readonly id: string;
  /** `builtin`, `installed`, `folder` (named by the server's settings) or `gone` (only datasets still use it). */
  readonly place: string;
  readonly inUse: boolean;
  /** Licence as an SPDX identifier. */
  readonly licence: string;
  /** Languages as BCP 47 tags. */
  readonly languages: readonly string[];
  readonly description: string;
  /** Size of its files in bytes. */
  readonly bytes: number;
  /** Vector spaces; `dimensions` is 0 for a space without vectors. */
  readonly spaces: readonly { readonly name: string; readonly kind: string; readonly dimensions: number }[];
  /** Number of datasets that use it. */
  readonly datasets: number;
}

/**
 * Progress of a change of the pack, which is over when `datasetsDone` and `datasetsFailed` add up to `datasetsTotal`.
 */
export interface ModelProgress {
  readonly datasetsDone: number;
  readonly datasetsTotal: number;
  readonly pagesDone: number;
  readonly pagesTotal: number;
  /** Number of datasets that keep their old pack because their change has failed. */
  readonly datasetsFailed: number;
  /** The first hundred failures. */
  readonly failures: readonly { readonly datasetId: string; readonly reason: string }[];
}

export interface ModelState {
  /** Id of the pack in use. */
  readonly inUse: string;
  /** All packs, the one in use first. */
  readonly packs: readonly Model[];
  readonly progress: ModelProgress;
}

export interface Models {
  /** Returns the packs on the server, and the progress of a change. */
  list(options?: RequestOptions): Promise<ModelState>;
  /**
   * Uses an installed pack, given as `id@version`, as `id` alone (its highest version) or as `builtin`. Resolves when
   * the change has begun; `list` reports its progress.
   */
  use(id: string, options?: RequestOptions): Promise<ModelState>;
}

export function createModels(connection: Connection): Models {
  const client = createClient(ModelService, connection.transport);
  return {
    async list(options) {
      const answer = await connection.call((call) => client.listModels({}, call), options);
      return stateOf(present(answer.models, "models"));
    },
    async use(id, options) {
      const answer = await connection.call((call) => client.useModel({ id }, call), options);
      return stateOf(present(answer.models, "models"));
    },
  };
}

function stateOf({ inUse, packs, progress }: WireModels): ModelState {
  const { datasetsDone, datasetsTotal, pagesDone, pagesTotal, datasetsFailed, failures } = present(
    progress,
    "progress",
  );
  return {
    inUse,
    packs: packs.map(({ id, place, inUse: isInUse, licence, languages, description, bytes, spaces, datasets }) => ({
      id,
      place,
      inUse: isInUse,
      licence,
      languages,
      description,
      bytes,
      spaces: spaces.map(({ name, kind, dimensions }) => ({ name, kind, dimensions })),
      datasets,
    })),
    progress: {
      datasetsDone,
      datasetsTotal,
      pagesDone,
      pagesTotal,
      datasetsFailed,
      failures: failures.map(({ datasetId, reason }) => ({ datasetId, reason })),
    },
  };
}
