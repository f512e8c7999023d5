/** Of FPDFTextObj_GetTextRenderMode: text that is filled, and that which leaves no ink. */
export const renderModes = { fill: 0, invisible: 3, clip: 7 } as const;

export function isInvisible(mode: number): boolean {
  return mode === renderModes.invisible || mode === renderModes.clip;
}
