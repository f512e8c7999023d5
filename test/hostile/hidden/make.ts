/** A PDF of one page with a hidden layer, and the additions of a case. */
export interface HidingPage {
  /** Operators of the page, which has the font /F1, the layers /On and /Off, and what `properties` and `forms` name. */
  readonly content: string;
  /** How the document says what is on: entries of /OCProperties /D. `{off}` and `{on}` are its layers. */
  readonly config?: string;
  /** More entries of the layer that is off, as its usage. */
  readonly usage?: string;
  /** Entries of a membership dictionary, /Member among the properties. */
  readonly member?: string;
  /** XObjects by name: a dictionary's further entries and a stream. */
  readonly forms?: Readonly<Record<string, { readonly entries: string; readonly data: string }>>;
  /** Dictionaries of annotations; `{look}` is a form that shows the word "annotation", `{note}` one that shows "walrus". */
  readonly annotations?: readonly string[];
  /** Another object, `{extra}`. */
  readonly extra?: string;
  /** More entries of the catalogue. */
  readonly catalog?: string;
  /** A PDF of the page alone is a picture: it has no words. */
  readonly becomesPicture?: boolean;
  /** The referee that draws does not know of it. */
  readonly refereeErrs?: boolean;
  /** More entries of the page. */
  readonly entries?: string;
}

const places = { on: "5 0 R", off: "6 0 R", member: "7 0 R", look: "8 0 R", note: "9 0 R", extra: "10 0 R" } as const;

const named = (text: string): string =>
  text.replace(/\{(on|off|member|look|note|extra)\}/g, (_all, name: keyof typeof places) => places[name]);

const stream = (entries: string, data: string): string =>
  `<< ${entries} /Length ${data.length} >>\nstream\n${data}\nendstream`;

const form = "/Type /XObject /Subtype /Form /BBox [0 0 300 300]";

/** The page is 300 points wide and high. */
export function hidingPdf(page: HidingPage): Buffer {
  const {
    content,
    config = "/OFF [{off}]",
    usage = "",
    member = "/OCGs {on}",
    forms = {},
    annotations = [],
    extra = "null",
  } = page;
  const firstFree = 11;
  const names = Object.keys(forms);
  const xObjects = names.map((name, index) => `/${name} ${firstFree + index} 0 R`).join(" ");
  const resources = `/Font << /F1 4 0 R >> /Properties << /On {on} /Off {off} /Member {member} >> /XObject << ${xObjects} >>`;
  const look = `/Type /XObject /Subtype /Form /BBox [0 0 80 16] /Resources << ${resources} >>`;
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [{on} {off}] /D << ${config} /Order [{on} {off}] >> >> ${page.catalog ?? ""} >>`,
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents ${firstFree + names.length} 0 R ` +
      `/Resources << ${resources} >> /Annots [${annotations.join(" ")}] ${page.entries ?? ""} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    "<< /Type /OCG /Name (plain) >>",
    `<< /Type /OCG /Name (inner) ${usage} >>`,
    `<< /Type /OCMD ${member} >>`,
    stream(look, "BT /F1 10 Tf 2 4 Td (annotation) Tj ET"),
    stream(look, "BT /F1 10 Tf 2 4 Td (walrus) Tj ET"),
    extra,
    ...names.map((name) => {
      const { entries, data } = forms[name] ?? { entries: "", data: "" };
      const isImage = entries.includes("/Image");
      return stream(isImage ? entries : `${form} ${entries} /Resources << ${resources} >>`, data);
    }),
    stream("", content),
  ].map(named);
  const head = "%PDF-1.7\n";
  const bodies = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`);
  const offsets = bodies.map((_body, index) => head.length + bodies.slice(0, index).join("").length);
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const start = head.length + bodies.join("").length;
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(`${head}${bodies.join("")}${table}`, "latin1");
}

/** A line of text; its words are what a case is about. */
export function line(text: string, x: number, y: number): string {
  return `BT /F1 12 Tf ${x} ${y} Td (${text}) Tj ET\n`;
}

/** Within a layer, `On`, `Off` or `Member`. */
export function inLayer(layer: string, content: string): string {
  return `/OC /${layer} BDC ${content} EMC\n`;
}

/** An image XObject of one grey, all over the square of 100 points that `shown` draws. */
export function greyImage(value: number, entries = ""): { readonly entries: string; readonly data: string } {
  const all = `/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 ${entries}`;
  return { entries: all, data: String.fromCodePoint(value) };
}
