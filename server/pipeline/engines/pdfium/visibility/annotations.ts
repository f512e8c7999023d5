import type { Library } from "../library.ts";

/** Of annotations, ISO 32000-1, table 165: not to be shown at all, and not on a screen. */
const flags = { hidden: 2, noView: 32 } as const;

/** Removes those annotations from a loaded page that nobody sees. Whether there are any. */
export function removeHiddenAnnotations({ functions, call }: Library, page: number): boolean {
  const count = call(() => functions.FPDFPage_GetAnnotCount(page));
  let removed = false;
  for (let index = count - 1; index >= 0; index -= 1) {
    const annotation = call(() => functions.FPDFPage_GetAnnot(page, index));
    if (annotation === 0) continue;
    const isHidden = (call(() => functions.FPDFAnnot_GetFlags(annotation)) & (flags.hidden | flags.noView)) !== 0;
    call(() => functions.FPDFPage_CloseAnnot(annotation));
    if (isHidden && call(() => functions.FPDFPage_RemoveAnnot(page, index))) removed = true;
  }
  return removed;
}
