/** A file of this run that the service has accepted. */
interface Earlier {
  readonly file: string;
  readonly datasetId: string;
}

/** The files of one run by their SHA-256: the first file with a content is sent, the others wait for its outcome. */
export interface SameContent {
  /**
   * Returns the earlier file with the same content, once it is accepted. If it returns undefined, there is none, and
   * `settle` must be called with the dataset that this file became, or with undefined if it was not accepted.
   */
  earlier(sha256: string, file: string): Promise<Earlier | undefined>;
  settle(sha256: string, datasetId: string | undefined): void;
}

export function createSameContent(): SameContent {
  const known = new Map<string, { readonly file: string } & PromiseWithResolvers<string | undefined>>();
  return {
    async earlier(sha256, file) {
      for (let first = known.get(sha256); first !== undefined; first = known.get(sha256)) {
        const datasetId = await first.promise;
        if (datasetId !== undefined) return { file: first.file, datasetId };
      }
      known.set(sha256, { file, ...Promise.withResolvers<string | undefined>() });
      return undefined;
    },
    settle(sha256, datasetId) {
      const first = known.get(sha256);
      // The first waiting file tries next.
      if (datasetId === undefined) known.delete(sha256);
      first?.resolve(datasetId);
    },
  };
}
