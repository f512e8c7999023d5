import { type HidingPage, line } from "./make.ts";

const content = line("heron", 20, 250);
const stamp = "<< /Type /Annot /Subtype /Stamp /Rect [20 100 100 116] /Contents (walrus) /AP << /N {look} >>";

/** Pages that show "heron" and no annotation, though they have one. */
export const annotationPages: Readonly<Record<string, HidingPage>> = {
  "a hidden annotation": { content, annotations: [`${stamp} /F 2 >>`] },
  "an annotation for print alone": { content, annotations: [`${stamp} /F 36 >>`] },
};

export const annotatedPage: HidingPage = { content, annotations: [`${stamp} /F 4 >>`] };
