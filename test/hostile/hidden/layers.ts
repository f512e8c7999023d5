import { greyImage, type HidingPage, inLayer, line } from "./make.ts";

const shown = line("heron", 20, 250);
const square = "50 50 100 100 re f\n";

/** Pages that show "heron" and hide "walrus" by a layer, or hide nothing but a drawing. */
export const layerPages: Readonly<Record<string, HidingPage>> = {
  "a layer that is off": { content: shown + inLayer("Off", line("walrus", 20, 200)) },
  "more marks than are tried one by one": {
    content: inLayer("Off", line("walrus", 20, 200)).repeat(2_100) + inLayer("On", shown),
  },
  "off unless named as on": {
    content: inLayer("On", shown) + inLayer("Off", line("walrus", 20, 200)),
    config: "/BaseState /OFF /ON [{on}]",
  },
  "in the place of what is shown": { content: shown + inLayer("Off", line("walrus", 20, 250)) },
  "white on white besides": { content: `${shown} 1 g ${inLayer("Off", line("walrus", 20, 200))}` },
  "members that must all be on": {
    content: shown + inLayer("Member", line("walrus", 20, 200)),
    member: "/OCGs [{on} {off}] /P /AllOn",
  },
  "members that must all be off": {
    content: shown + inLayer("Member", line("walrus", 20, 200)),
    member: "/OCGs [{on} {off}] /P /AllOff",
  },
  "members of which one must be off": {
    content: shown + inLayer("Member", line("walrus", 20, 200)),
    member: "/OCGs [{on}] /P /AnyOff",
  },
  "an expression": {
    content: shown + inLayer("Member", line("walrus", 20, 200)),
    member: "/VE [/And {on} [/Not [/Or {on} {off}]]]",
  },
  "a layer that is on within one that is off": {
    content: shown + inLayer("Off", inLayer("On", line("walrus", 20, 200))),
  },
  "a layer that is off within one that is on": {
    content: inLayer("On", shown + inLayer("Off", line("walrus", 20, 200))),
  },
  "within the text that it belongs to": {
    content: "BT /F1 12 Tf 20 250 Td (heron) Tj /OC /Off BDC 0 -20 Td (walrus) Tj EMC ET",
  },
  "marked once more in between": {
    content: `${shown} /OC /Off BDC /Span << /Lang (en) >> BDC ${line("walrus", 20, 200)} EMC EMC`,
  },
  "a form that is off": {
    content: `${shown} /Fm Do`,
    forms: { Fm: { entries: "/OC {off}", data: line("walrus", 20, 200) } },
  },
  "a form within a form that is off": {
    content: `${shown} /Outer Do`,
    forms: {
      Outer: { entries: "/OC {off}", data: "/Fm Do" },
      Fm: { entries: "", data: line("walrus", 20, 200) },
    },
  },
  "a form that is drawn in a layer that is off": {
    content: shown + inLayer("Off", "/Fm Do"),
    forms: { Fm: { entries: "", data: line("walrus", 20, 200) } },
  },
  "a layer within a form": {
    content: "q 1 0 0 1 10 -20 cm /Fm Do Q",
    forms: { Fm: { entries: "", data: shown + inLayer("Off", line("walrus", 20, 200)) } },
  },
  "a layer within a form with a matrix": {
    becomesPicture: true,
    content: "q 1 0 0 1 10 -20 cm /Fm Do Q",
    forms: { Fm: { entries: "/Matrix [1 0 0 1 5 5]", data: shown + inLayer("Off", line("walrus", 20, 200)) } },
  },
  "a form of many things that is off": {
    content: `${shown} /Fm Do`,
    forms: {
      Fm: {
        entries: "/OC {off}",
        data: Array.from({ length: 40 }, (_none, index) => line("walrus", 20, 230 - 5 * index)).join(""),
      },
    },
  },
  "a layer within a form within a form": {
    becomesPicture: true,
    content: "q 2 0 0 2 0 -220 cm /Outer Do Q",
    forms: {
      Outer: { entries: "/Matrix [1 0 0 1 5 5]", data: "q 1 0 0 1 10 -20 cm /Fm Do Q" },
      Fm: { entries: "/Matrix [1 0 0 1 7 2]", data: shown + inLayer("Off", line("walrus", 20, 200)) },
    },
  },
  "off by what it is used for": {
    refereeErrs: true,
    content: shown + inLayer("Off", line("walrus", 20, 200)),
    config: "/AS [<< /Event /View /Category [/View] /OCGs [{off}] >>]",
    usage: "/Usage << /View << /ViewState /OFF >> >>",
  },
  "words that a scan has, off": {
    content: `${shown} q 100 0 0 100 20 150 cm /Im Do Q ${inLayer("Off", `3 Tr ${line("walrus", 20, 200)} 0 Tr`)}`,
    forms: { Im: greyImage(200) },
  },
  "a picture that is off": {
    content: `${shown} q 100 0 0 100 50 50 cm /Im Do Q`,
    forms: { Im: greyImage(90, "/OC {off}") },
  },
  "a drawing that is off": { content: shown + inLayer("Off", square) },
  "on a page that is turned and cropped": {
    content: shown + inLayer("Off", line("walrus", 20, 200)),
    entries: "/Rotate 90 /CropBox [10 20 280 290]",
  },
};

/** Pages that show "heron" in a layer that is on, by means that hide it elsewhere. */
export const shownPages: Readonly<Record<string, HidingPage>> = {
  "a layer that is on": { content: inLayer("On", shown) },
  "members of which one must be on": { content: inLayer("Member", shown), member: "/OCGs [{on} {off}] /P /AnyOn" },
  "a form that is on": { content: "/Fm Do", forms: { Fm: { entries: "/OC {on}", data: shown } } },
  "words that a scan has in a form": {
    content: "q 200 0 0 200 20 90 cm /Im Do Q /Fm Do",
    forms: { Im: greyImage(200), Fm: { entries: "/OC {on}", data: `3 Tr ${shown}` } },
  },
  "white on black in a layer": { content: inLayer("On", `10 240 100 30 re f 1 g ${shown} 0 g`) },
  "not shown in print alone": {
    content: inLayer("Off", shown),
    config: "/AS [<< /Event /Print /Category [/Print] /OCGs [{off}] >>]",
    usage: "/Usage << /Print << /PrintState /OFF >> >>",
  },
};
