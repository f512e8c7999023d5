const marker = "#code=";

/** The single-use code that the address came with, which is at once removed from it; undefined: none. */
export function takeCode(): string | undefined {
  const { hash, pathname, search } = location;
  if (!hash.startsWith(marker)) return undefined;
  history.replaceState(null, "", `${pathname}${search}`);
  return new URLSearchParams(hash.slice(1)).get("code") ?? "";
}
