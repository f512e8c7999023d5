import type { XmlElement } from "../../../formats/xml.ts";

/** Tells visible text from text that only programs read. */
export interface ShownText {
  element(element: XmlElement): void;
  /** The number of visible characters of the text, without spaces. */
  count(text: string): number;
}

const runOrShape: ReadonlySet<string> = new Set(["r", "sp"]);

const isOff = ({ local, value }: XmlElement["attributes"][string]): boolean =>
  local === "val" && /^(0|false|off)$/.test(value);

/**
 * Watches one part. Visible are the body of a text document and the slides that are shown, but no properties, styles,
 * masters, layouts, field codes, deletions, or runs of text that are marked as hidden.
 */
export function watchShownText(): ShownText {
  let isShown: boolean | undefined;
  let isHidden = false;
  let inText = false;
  return {
    element({ local, attributes }) {
      // The first element tells the type of a part.
      isShown ??= local === "document" || (local === "sld" && !/^(0|false)$/.test(attributes["show"]?.value ?? ""));
      if (runOrShape.has(local)) isHidden = false;
      if (local === "vanish") isHidden = !Object.values(attributes).some(isOff);
      inText = local === "t";
    },
    count: (text) => (isShown === true && inText && !isHidden ? text.replaceAll(/\s/gu, "").length : 0),
  };
}
