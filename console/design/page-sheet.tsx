import { type CSSProperties, type ReactElement, type ReactNode, useEffect, useState } from "react";

/** A rectangle; lengths are fractions of the page. */
interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface PageSheetProps {
  readonly src: string;
  /** Empty if the text beside it names the page. */
  readonly alt: string;
  readonly boxes?: readonly Box[];
  /** Shown in place of a page that cannot be drawn. */
  readonly broken: ReactNode;
  /** Called when the page, or its replacement, is visible; again when it changes. */
  readonly onShown?: () => void;
}

/** Width by height of upright A4, until the picture is loaded. */
const usualRatio = 595 / 842;

/** A document page, as large as its frame allows. The frame is a CSS container (`container-type: size`). */
export function PageSheet({ src, alt, boxes = [], broken, onShown }: PageSheetProps): ReactElement {
  const [ratio, setRatio] = useState(usualRatio);
  const [state, setState] = useState<"loading" | "loaded" | "failed">("loading");
  useEffect(() => {
    if (state !== "loading") onShown?.();
  }, [state, onShown]);
  const style: CSSProperties & Record<"--ratio", number> = { "--ratio": ratio };
  return (
    <span className={`sheet sheet-${state}`} style={style}>
      {state === "failed" ? (
        <span className="sheet-broken">{broken}</span>
      ) : (
        <img
          className="sheet-picture"
          src={src}
          alt={alt}
          decoding="async"
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
            setRatio(naturalWidth / naturalHeight);
            setState("loaded");
          }}
          onError={() => setState("failed")}
        />
      )}
      {state === "loaded" &&
        boxes.map(({ x, y, width, height }) => (
          <span
            key={`${x} ${y} ${width} ${height}`}
            className="sheet-mark"
            style={{ left: percent(x), top: percent(y), width: percent(width), height: percent(height) }}
          />
        ))}
    </span>
  );
}

const percent = (fraction: number): string => `${(fraction * 100).toFixed(3)}%`;
