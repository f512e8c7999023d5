const marker = "#code=";

/** Returns the single-use code in the address, and removes it from there; undefined if there is none. */
export function takeCode(): string | undefined {
  const { hash, pathname, search } = location;
  if (!hash.startsWith(marker)) return undefined;
  history.replaceState(null, "", `${pathname}${search}`);
  return new URLSearchParams(hash.slice(1)).get("code") ?? "";
}
