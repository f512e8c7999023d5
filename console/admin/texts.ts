import { admin as de } from "../texts/de/admin.ts";
import { admin as en, type AdminTexts } from "../texts/en/admin.ts";
import { useLanguage } from "../texts/texts.tsx";

export type { AdminTexts } from "../texts/en/admin.ts";

const catalogues = { en, de } as const;

/** The texts of the administration, which are loaded only with it. */
export const useAdminTexts = (): AdminTexts => catalogues[useLanguage()];
