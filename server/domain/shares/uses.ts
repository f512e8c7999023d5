import type { UseLog } from "../use-log.ts";

/** When each cached rendition was last used, by blob key. */
export type RenditionUses = UseLog<string>;
