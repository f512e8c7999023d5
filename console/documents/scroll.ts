import { useLayoutEffect } from "react";

const offsets = new Map<string, number>();

/** Returns the scroll position in pixels at which a view was left. */
export const rememberedOffset = (view: string): number => offsets.get(view) ?? 0;

/** Scrolls a view to its top, or to where it was left if `isKept`. */
export function useScrollPlace(view: string, isKept = false): void {
  useLayoutEffect(() => {
    scrollTo(0, isKept ? rememberedOffset(view) : 0);
    const remember = (): void => void offsets.set(view, scrollY);
    addEventListener("scroll", remember, { passive: true });
    return () => removeEventListener("scroll", remember);
  }, [view, isKept]);
}
