import type { Share } from "@drs/client";
import { type ReactElement, useEffect, useRef } from "react";
import { ownLink } from "../shell/own-link.ts";

/** A picture that passes by faster is not asked for. */
const settleMs = 80;

/** The small picture of a page. Its request ends with it, so that what is scrolled past does not hold up what is looked at. */
export function PagePicture({ share }: { readonly share: Share }): ReactElement {
  const element = useRef<HTMLImageElement>(null);
  const source = ownLink(share, { width: "256" });
  useEffect(() => {
    const image = element.current;
    if (image === null) return undefined;
    const timer = setTimeout(() => {
      image.src = source;
    }, settleMs);
    return () => {
      clearTimeout(timer);
      image.removeAttribute("src");
    };
  }, [source]);
  return <img ref={element} className="sheet-picture" alt="" decoding="async" />;
}
