/** The packs that a thread has in memory: loaded when first wanted, closed when others have taken their place. */
export interface LoadedPacks<Pack> {
  get(packDir: string): Promise<Pack>;
}

interface Options<Pack> {
  readonly load: (packDir: string) => Promise<Pack>;
  /** While datasets change from one pack to another, queries go to both; nobody needs more than that for long. */
  readonly most: number;
  /** So long without work a pack stays, milliseconds; the one used last stays for good. */
  readonly unusedMs: number;
  readonly clock: () => number;
}

export function createLoadedPacks<Pack extends { close(): Promise<void> }>({
  load,
  most,
  unusedMs,
  clock,
}: Options<Pack>): LoadedPacks<Pack> {
  let tidying: NodeJS.Timeout | undefined;
  const packs = new Map<string, { readonly loading: Promise<Pack>; usedAt: number }>();

  /** Closes what nobody has wanted for a while, and what is too much; never the one used last. */
  function tidy(): void {
    // In the order of their use, the oldest first.
    const others = [...packs].slice(0, -1);
    for (const [index, [packDir, { loading, usedAt }]] of others.entries()) {
      if (clock() - usedAt < unusedMs && others.length - index < most) continue;
      packs.delete(packDir);
      loading.then((pack) => pack.close()).catch(() => undefined);
    }
  }

  return {
    async get(packDir) {
      const known = packs.get(packDir);
      packs.delete(packDir);
      const loading = known?.loading ?? load(packDir);
      packs.set(packDir, { loading, usedAt: clock() });
      tidy();
      clearTimeout(tidying);
      tidying = setTimeout(tidy, unusedMs).unref();
      try {
        return await loading;
      } catch (cause) {
        // Its files may be put right.
        packs.delete(packDir);
        throw cause;
      }
    },
  };
}
