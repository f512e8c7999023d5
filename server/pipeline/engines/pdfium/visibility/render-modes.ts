/** Modes of FPDFTextObj_GetTextRenderMode: filled text, and text that leaves no ink. */
export const renderModes = { fill: 0, invisible: 3, clip: 7 } as const;

export function isInvisible(mode: number): boolean {
  return mode === renderModes.invisible || mode === renderModes.clip;
}
