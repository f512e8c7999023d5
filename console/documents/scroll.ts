import { useLayoutEffect } from "react";

const offsets = new Map<string, number>();

/** Where a view was scrolled to when it was left, pixels. */
export const rememberedOffset = (view: string): number => offsets.get(view) ?? 0;

/** A view begins at its top, or where it was left if `isKept`. */
export function useScrollPlace(view: string, isKept = false): void {
  useLayoutEffect(() => {
    scrollTo(0, isKept ? rememberedOffset(view) : 0);
    const remember = (): void => void offsets.set(view, scrollY);
    addEventListener("scroll", remember, { passive: true });
    return () => removeEventListener("scroll", remember);
  }, [view, isKept]);
}
