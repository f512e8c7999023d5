import type { Share } from "@drs/client";
import { type ReactElement, useEffect, useRef } from "react";
import { ownLink } from "../shell/own-link.ts";

/** Milliseconds; a picture that is visible for less time is not requested. */
const settleMs = 80;

/** The thumbnail of a page. Its request ends when it disappears, so that pages scrolled past do not delay visible ones. */
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
  return <img ref={element} className="contact-picture" alt="" decoding="async" />;
}
