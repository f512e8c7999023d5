import { type HidingPage, inLayer, line } from "./make.ts";

const content = line("heron", 20, 250);
const annotation = "/Type /Annot /Rect [20 100 100 116]";
const file = "<< /Type /EmbeddedFile /Length 6 >>\nstream\nwalrus\nendstream";
const walrus = { entries: "", data: line("walrus", 20, 200) };
const script = "<< /S /JavaScript /JS (walrus) >>";

/** Pages that show "heron", and have "walrus" in what is stored with them. */
export const storedPages: Readonly<Record<string, HidingPage>> = {
  "data of a program": { content, entries: "/PieceInfo << /App << /Private (walrus) >> >>" },
  "an entry that nobody knows": { content, entries: "/Unknown << /Deep [(walrus)] >>" },
  metadata: { content, entries: "/Metadata {extra}", extra: file },
  "a small picture of the page": { content, entries: "/Thumb {note}" },
  "files of the page": { content, entries: "/AF [<< /Type /Filespec /EF << /F {extra} >> >>]", extra: file },
  beads: { content, entries: "/B [<< /T << /I << /Title (walrus) >> >> >>]" },
  "an action of the page": { content, entries: `/AA << /O ${script} >>` },
  "data of a program, with a form": {
    content: "/Fm Do",
    forms: { Fm: { entries: "/PieceInfo << /App << /Private (walrus) >> >> /Metadata {extra}", data: content } },
    extra: file,
  },
  "a form that is not drawn": { content, forms: { Fm: walrus } },
  "a form in a form that is not drawn": { content, forms: { Outer: { entries: "", data: "/Fm Do" }, Fm: walrus } },
  "a form that is not drawn beside one that is": {
    content: "/Outer Do",
    forms: { Outer: { entries: "", data: "/Inner Do" }, Inner: { entries: "", data: content }, Fm: walrus },
  },
  "a file that a note has": {
    refereeErrs: true,
    content,
    annotations: [`<< ${annotation} /Subtype /FileAttachment /FS << /F (walrus) /EF << /F {extra} >> >> >>`],
    extra: file,
  },
  "an action of a link": { content, annotations: [`<< ${annotation} /Subtype /Link /A ${script} >>`] },
  "an action behind that of a link": {
    content,
    annotations: [`<< ${annotation} /Subtype /Link /A << /S /URI /URI (http://localhost/) /Next ${script} >> >>`],
  },
  "a note that is answered, and gone": {
    content,
    annotations: [`<< ${annotation} /Subtype /Link /IRT {extra} >>`],
    extra: `<< ${annotation} /Subtype /Text /Contents (walrus) >>`,
  },
  "a state of a field": {
    content,
    annotations: [`<< ${annotation} /Subtype /Widget /FT /Btn /AS /Off /AP << /N << /Yes {note} >> >> >>`],
  },
  "an appearance under the mouse": {
    content,
    annotations: [`<< ${annotation} /Subtype /Stamp /F 4 /AP << /R {note} /D {note} >> >>`],
  },
  "fields of other pages": {
    content,
    annotations: [`<< ${annotation} /Subtype /Widget /Parent {extra} >>`],
    extra:
      "<< /FT /Tx /T (name) /Kids [<< /Type /Annot /Subtype /Widget /AP << /N {note} >> /MK << /CA (walrus) >> >>] >>",
  },
  "a password": {
    content,
    annotations: [`<< ${annotation} /Subtype /Widget /FT /Tx /Ff 8192 /T (name) /V (walrus) >>`],
  },
  "data of a layer": { content: inLayer("On", content), usage: "/Usage << /CreatorInfo << /Creator (walrus) >> >>" },
};
