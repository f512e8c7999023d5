import type { XmlElement } from "../../../formats/xml.ts";

/** Tells the text that a reader of the document sees from the text that only programs read. */
export interface ShownText {
  element(element: XmlElement): void;
  /** How many characters of it, spaces left out, are seen. */
  count(text: string): number;
}

const runOrShape: ReadonlySet<string> = new Set(["r", "sp"]);

const isOff = ({ local, value }: XmlElement["attributes"][string]): boolean =>
  local === "val" && /^(0|false|off)$/.test(value);

/**
 * Of one part: the body of a text document and the slides that are shown. Left out are properties, styles, masters and
 * layouts, field codes, deletions, and runs of text that are marked as hidden.
 */
export function watchShownText(): ShownText {
  let isShown: boolean | undefined;
  let isHidden = false;
  let inText = false;
  return {
    element({ local, attributes }) {
      // A part says by its first element what it is.
      isShown ??= local === "document" || (local === "sld" && !/^(0|false)$/.test(attributes["show"]?.value ?? ""));
      if (runOrShape.has(local)) isHidden = false;
      if (local === "vanish") isHidden = !Object.values(attributes).some(isOff);
      inText = local === "t";
    },
    count: (text) => (isShown === true && inText && !isHidden ? text.replaceAll(/\s/gu, "").length : 0),
  };
}
