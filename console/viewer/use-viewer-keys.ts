import type { KeyboardEvent } from "react";

interface ViewerState {
  readonly number: number;
  /** 0 shows the whole page. */
  readonly zoom: number;
  readonly turnTo: (page: number) => void;
  readonly zoomTo: (zoom: number) => void;
  /** Undefined if there is none. */
  readonly toNextHit: (() => void) | undefined;
  readonly toPreviousHit: (() => void) | undefined;
}

/** Handles the keys of the viewer. Arrows turn pages while the whole page is shown; when zoomed, the browser scrolls by them. */
export function useViewerKeys(state: ViewerState): (event: KeyboardEvent) => void {
  const { number, zoom, turnTo, zoomTo, toNextHit, toPreviousHit } = state;
  const actions: Readonly<Record<string, () => void>> = {
    ...(zoom === 0 && {
      ArrowLeft: () => turnTo(number - 1),
      ArrowRight: () => turnTo(number + 1),
    }),
    PageUp: () => turnTo(number - 1),
    PageDown: () => turnTo(number + 1),
    "+": () => zoomTo(zoom + 1),
    "=": () => zoomTo(zoom + 1),
    "-": () => zoomTo(zoom - 1),
    "0": () => zoomTo(0),
    ...(toNextHit && { n: toNextHit }),
    ...(toPreviousHit && { p: toPreviousHit }),
  };
  return (event) => {
    const action = actions[event.key];
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    action();
  };
}
