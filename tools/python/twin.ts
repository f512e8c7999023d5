/** Replacements that turn code for asyncio into synchronous code. Longer words come before those that they contain. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/\basync (def|for|with)\b/g, "$1"],
  [/\bawait /g, ""],
  [/\bAwaitable\[((?:[^[\]]|\[[^[\]]*\])*)\]/g, "$1"],
  [/\bAwaitable, /g, ""],
  [/\bAsyncGenerator\[(.*), None\]/g, "Generator[$1, None, None]"],
  [/\bAsync(?=[A-Z])/g, ""],
  [/\b_aio\b/g, "_sync"],
  [/\bgen\.aio\b/g, "gen.sync"],
  [/\baclose\b/g, "close"],
  [/\baread\b/g, "read"],
  [/\baiter_bytes\b/g, "iter_bytes"],
  [/\b__aenter__\b/g, "__enter__"],
  [/\b__aexit__\b/g, "__exit__"],
  [/\b__aiter__\b/g, "__iter__"],
  [/\b__anext__\b/g, "__next__"],
  [/\bStopAsyncIteration\b/g, "StopIteration"],
  [/\basynccontextmanager\b/g, "contextmanager"],
  [/\baclosing\b/g, "closing"],
];

/** Returns the synchronous version of a module. The client has both versions, so that both are typed and readable. */
export function twinOf(text: string): string {
  return replacements.reduce((changed, [pattern, replacement]) => changed.replace(pattern, replacement), text);
}
