/** The packs in a thread's memory: loaded on first use, and closed when others have replaced them. */
interface LoadedPacks<Pack> {
  get(packDir: string): Promise<Pack>;
}

interface Options<Pack> {
  readonly load: (packDir: string) => Promise<Pack>;
  /** Maximum packs. While datasets are moved from one pack to another, queries go to both; more packs are rarely in use. */
  readonly maxKept: number;
  /** Milliseconds after which an unused pack is closed. The pack used last stays open. */
  readonly unusedMs: number;
  readonly clock: () => number;
}

export function createLoadedPacks<Pack extends { close(): Promise<void> }>({
  load,
  maxKept,
  unusedMs,
  clock,
}: Options<Pack>): LoadedPacks<Pack> {
  let tidying: NodeJS.Timeout | undefined;
  const packs = new Map<string, { readonly loading: Promise<Pack>; usedAt: number }>();

  /** Closes packs that have not been used for a while, and those above `maxKept`; never the one used last. */
  function tidy(): void {
    // Least recently used first.
    const others = [...packs].slice(0, -1);
    for (const [index, [packDir, { loading, usedAt }]] of others.entries()) {
      if (clock() - usedAt < unusedMs && others.length - index < maxKept) continue;
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
        // The next call tries again, because the pack's files may be repaired meanwhile.
        packs.delete(packDir);
        throw cause;
      }
    },
  };
}
