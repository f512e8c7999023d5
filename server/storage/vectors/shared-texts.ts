/** Gives one text for all that are equal: many rows that name the same dataset keep its name in memory once. */
export function shareTexts<Text extends string>(): (text: Text) => Text {
  const known = new Map<Text, Text>();
  return (text) => {
    const before = known.get(text);
    if (before === undefined) known.set(text, text);
    return before ?? text;
  };
}
