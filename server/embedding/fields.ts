import { z } from "zod";

/** Few characters are allowed because names become parts of index names. */
export const name = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, "must be 1 to 32 small letters, digits and hyphens");

/** A relative path with forward slashes that never leads out of the pack's folder. */
export const filePath = z
  .string()
  .regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/, "must be a relative path inside the pack");

/** Length of a stored vector. The maximum is that of the vector index. */
export const dimensions = z.int().min(1).max(8192);
