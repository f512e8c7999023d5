import { greyImage, type HidingPage, line } from "./make.ts";

const shown = line("heron", 20, 250);
const hidden = line("walrus", 20, 200);
/** Over "walrus", but not over "heron". */
const bar = "15 192 60 24 re f\n";
const scan = "q 300 0 0 300 0 0 cm /Im Do Q\n";
const image = { Im: greyImage(90) };

/** Pages that show "heron", and have "walrus" where nobody sees it. */
export const unseenPages: Readonly<Record<string, HidingPage>> = {
  "beside the crop box": { content: shown + line("walrus", 200, 250), entries: "/CropBox [0 0 150 300]" },
  "beside the crop box of a page that is turned": {
    content: shown + line("walrus", 200, 250),
    entries: "/CropBox [10 20 150 290] /Rotate 270",
  },
  "beside the media box": { content: shown + line("walrus", 400, 250) },
  "within a form beside the crop box": {
    content: "q 1 0 0 1 -60 0 cm /Fm Do Q",
    forms: { Fm: { entries: "", data: line("heron", 80, 250) + line("walrus", 240, 250) } },
    entries: "/CropBox [0 0 150 300]",
  },
  "clipped away": { content: `${shown} q 15 100 60 20 re W n ${hidden} Q` },
  "clipped away by a triangle": { content: `${shown} q 15 100 m 150 100 l 150 230 l h W n ${hidden} Q` },
  "clipped away by two clips": { content: `${shown} q 15 100 60 200 re W n 80 100 60 200 re W n ${hidden} Q` },
  "clipped away by its form": {
    content: `${shown} /Fm Do`,
    forms: { Fm: { entries: "", data: `15 100 60 20 re W n ${hidden}` } },
  },
  "under a bar": { content: shown + hidden + bar },
  "under a white bar": { content: `${shown + hidden} 1 g ${bar}` },
  "under a bar with round corners": {
    content: `${shown + hidden} 18 192 m 72 192 l 75 192 75 195 75 195 c 75 213 l 75 216 72 216 72 216 c 18 216 l 15 216 15 213 15 213 c 15 195 l 15 192 18 192 18 192 c f`,
  },
  "under a bar that is clipped": { content: `${shown + hidden} q 15 192 60 24 re W n 0 0 300 290 re f Q` },
  "under a bar that is clipped by a shape": {
    content: `${shown + hidden} q 10 180 m 140 180 l 140 240 l 75 235 l 10 240 l h W n 0 0 300 290 re f Q`,
  },
  "on a page of more than can be looked at": {
    becomesPicture: true,
    content: `${shown + hidden + bar} ${"120 20 9 9 re f\n".repeat(25_000)}`,
  },
  "in many places": {
    content:
      Array.from({ length: 20 }, (_none, index) => {
        const [x, y] = [10 + 70 * (index % 4), 10 + 45 * Math.floor(index / 4)];
        return `${line("walrus", x, y)} ${x - 5} ${y - 8} 60 24 re f\n`;
      }).join("") + shown,
  },
  "under two bars": { content: `${shown + hidden} 15 192 30 24 re f 45 192 30 24 re f` },
  "under a picture": { content: `${shown + hidden} q 60 0 0 24 15 192 cm /Im Do Q`, forms: image },
  "under a form with a bar": { content: `${shown + hidden} /Fm Do`, forms: { Fm: { entries: "", data: bar } } },
  "under a thick line": { content: `${shown + hidden} 24 w 15 204 m 75 204 l S` },
  "within a form, under a bar of the page": {
    content: `${shown} /Fm Do ${bar}`,
    forms: { Fm: { entries: "", data: hidden } },
  },
  "white on white": { content: `${shown} 1 g ${hidden}` },
  "nearly white on white": { content: `${shown} 0.99 g ${hidden}` },
  "black on black": { content: shown + bar + hidden },
  "in the colour of its ground": { content: `${shown} 0.2 0.4 0.8 rg ${bar} ${hidden}` },
  "white on white, where other words stand": { content: `1 g ${line("walrus", 20, 250)} 0 g ${shown}` },
  "without ink": { content: `${shown} 3 Tr ${hidden}` },
  "a scan's words under a bar over the scan": {
    content: `3 Tr ${shown + hidden} 0 Tr ${scan} 0 g ${bar}`,
    forms: image,
  },
  "words over a scan, and a bar over both": {
    content: `${scan} 3 Tr ${shown + hidden} 0 Tr 1 g ${bar}`,
    forms: image,
  },
};

/** Pages that show "heron", by means that hide words elsewhere. */
export const seenPages: Readonly<Record<string, HidingPage>> = {
  "white on black": { content: `10 240 100 30 re f 1 g ${shown}` },
  "white on a picture": { content: `q 100 0 0 30 10 240 cm /Im Do Q 1 g ${shown}`, forms: image },
  "under glass": {
    content: `/Fm Do ${shown} /Fm Do`,
    forms: { Fm: { entries: "/Group << /S /Transparency >>", data: "" } },
  },
  "beside a bar": { content: `${shown} 60 240 100 30 re f` },
  "beside a bar that is clipped": { content: `${shown} q 60 240 100 30 re W n 0 0 300 300 re f Q` },
  "with a rule through it": { content: `${shown} 15 253 50 1 re f` },
  "within its clip": { content: `q 15 240 60 30 re W n ${shown} Q` },
  "under the scan that it is the words of": { content: shown + scan, forms: image },
  "over the scan that it is the words of": { content: `${scan} 3 Tr ${shown}`, forms: image },
  "over a scan in strips": {
    content: `q 300 0 0 150 0 0 cm /Im Do Q q 300 0 0 150 0 150 cm /Im Do Q 3 Tr ${shown}`,
    forms: image,
  },
  "printed twice": { content: shown + shown },
  // A form with a matrix cannot be rewritten; nothing has to be.
  "beside control signs and spaces that nobody sees": {
    content: "/Fm Do",
    forms: {
      Fm: {
        entries: "/Matrix [1 0 0 1 5 5]",
        data: `${shown} 1 g ${line(String.raw`\010`, 20, 200)} ${line(" ", 20, 180)} 0 g`,
      },
    },
  },
};
