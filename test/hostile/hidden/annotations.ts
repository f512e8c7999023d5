import { type HidingPage, line } from "./make.ts";

const content = line("heron", 20, 250);
const annotation = "/Type /Annot /Rect [20 100 100 116]";
const noteStamp = `<< ${annotation} /Subtype /Stamp /Contents (walrus) /AP << /N {note} >>`;
const lookStamp = `<< ${annotation} /Subtype /Stamp /AP << /N {look} >>`;

/** Pages that show "heron" and no annotation, though they have one. */
export const annotationPages: Readonly<Record<string, HidingPage>> = {
  "a hidden annotation": { content, annotations: [`${noteStamp} /F 2 >>`] },
  "an annotation for print alone": { content, annotations: [`${noteStamp} /F 36 >>`] },
  "an annotation on a layer that is off": { content, annotations: [`${noteStamp} /F 4 /OC {off} >>`] },
  "an annotation on a layer that is off in views alone": {
    refereeErrs: true,
    content,
    annotations: [`${noteStamp} /F 4 /OC {off} >>`],
    config: "/AS [<< /Event /View /Category [/View] /OCGs [{off}] >>]",
    usage: "/Usage << /View << /ViewState /OFF >> /Print << /PrintState /ON >> >>",
  },
  "an annotation of members that are off": {
    content,
    annotations: [`${noteStamp} /F 4 /OC {member} >>`],
    member: "/OCGs [{on} {off}] /P /AllOn",
  },
  "an annotation with an expression": {
    content,
    annotations: [`${noteStamp} /F 4 /OC << /Type /OCMD /VE [/Not {on}] >> >>`],
  },
  "an annotation that is an object of its own": {
    content,
    annotations: ["{extra}"],
    extra: `${noteStamp} /F 4 /OC {off} >>`,
  },
  "on a layer, among more annotations than are asked about": {
    content,
    annotations: [
      ...Array.from({ length: 2_001 }, () => `<< ${annotation} /Subtype /Link /Border [0 0 0] >>`),
      `${noteStamp} /F 4 /OC {off} >>`,
    ],
  },
  "a field on a layer that is off": {
    content,
    annotations: ["{extra}"],
    extra: `<< ${annotation} /Subtype /Widget /FT /Tx /T (name) /V (walrus) /F 4 /OC {off} /AP << /N {note} >> >>`,
    catalog: "/AcroForm << /Fields [{extra}] >>",
  },
};

/** Pages that show "heron" and "annotation". */
export const annotatedPages: Readonly<Record<string, HidingPage>> = {
  "an annotation": { content, annotations: [`${lookStamp} /F 4 >>`] },
  "an annotation on a layer that is on": { content, annotations: [`${lookStamp} /F 4 /OC {on} >>`] },
  "one of two in the same place": {
    content,
    annotations: [`${noteStamp} /F 4 /OC {off} >>`, `${lookStamp} /F 4 /OC {on} >>`],
  },
  "members of which one is on": {
    content,
    annotations: [`${lookStamp} /F 4 /OC {member} >>`],
    member: "/OCGs [{on} {off}] /P /AnyOn",
  },
  "a field on a layer that is on": {
    content,
    annotations: ["{extra}"],
    extra: `<< ${annotation} /Subtype /Widget /FT /Tx /T (name) /V (annotation) /F 4 /OC {on} /AP << /N {look} >> >>`,
    catalog: "/AcroForm << /Fields [{extra}] >>",
  },
};
