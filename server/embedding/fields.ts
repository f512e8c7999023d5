import { z } from "zod";

/** Names become parts of index names, hence the narrow alphabet. */
export const name = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, "must be 1 to 32 small letters, digits and hyphens");

/** Relative, with forward slashes, and never out of the pack's folder. */
export const filePath = z
  .string()
  .regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/, "must be a relative path inside the pack");

/** Of one stored vector; the index takes no more. */
export const dimensions = z.int().min(1).max(8192);
