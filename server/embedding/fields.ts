import { z } from "zod";

/** The alphabet is narrow because names become parts of index names. */
export const name = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, "must be 1 to 32 small letters, digits and hyphens");

/** A relative path with forward slashes that never leads out of the pack's folder. */
export const filePath = z
  .string()
  .regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/, "must be a relative path inside the pack");

/** The length of one stored vector; the index takes no longer ones. */
export const dimensions = z.int().min(1).max(8192);
