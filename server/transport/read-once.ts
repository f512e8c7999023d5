/**
 * Caches a value per descriptor: looking up an option of the contract takes longer than most of the work that follows.
 */
export function readOnce<Description extends object, Value>(
  read: (description: Description) => Value,
): (description: Description) => Value {
  const known = new WeakMap<Description, Value>();
  return (description) => {
    const found = known.get(description);
    if (found !== undefined) return found;
    const value = read(description);
    known.set(description, value);
    return value;
  };
}
