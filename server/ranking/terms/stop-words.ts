/** The stop words of each language, without accents. */
const stopWords = {
  en: "a about above after again against all am an and any are aren as at be because been before being below between both but by can could couldn did didn do does doesn doing don down during each few for from further had hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself just me more most my myself no nor not now of off on once only or other our ours ourselves out over own same shan she should shouldn so some such than that the their theirs them themselves then there these they this those through to too under until up very was wasn we were weren what when where which while who whom whose why will with won would wouldn you your yours yourself yourselves",
  de: "aber als also am an auch auf aus bei beim bin bis bist da damit dann das dass dein dem den denn der des dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es etwas fur habe haben hat hatte hier ich ihm ihn ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes kann kein keine keinen konnen mein mich mir mit muss nach nicht noch nun nur ob oder ohne sehr sein seine sich sie sind so soll uber um und uns unser unter viel vom von vor wann warum was weil welche welchem welchen welcher welches wenn wer werden wie wieder wieviel wird wir wo wurde zu zum zur zwischen",
  fr: "a ai au aucun aussi autre aux avant avec avoir c ce cela ces cet cette ceux chez ci comme comment d dans de des doit donc dont du elle elles en entre es est et etait etc ete etre eu fait il ils j je l la le les leur leurs lui m ma mais me meme mes moi mon n ne nos notre nous on ont ou par pas peut plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se sera ses si son sont sous sur t ta te tes toi ton tout tous toute tu un une vers vos votre vous y",
  es: "a al algo alguna algun ante antes aqui como con cual cuales cuando cuanto cuantos de del desde donde dos e el ella ellas ellos en entre era eran es esa ese eso esta estan estas este esto estos fue ha han hasta hay la las le les lo los mas me mi mis mucho muy nada ni no nos nosotros o os otra otro para pero poco por porque puede pueden que quien se segun ser si sin sobre son su sus tambien te tiene tienen todo todos tu tus un una uno unos y ya yo",
  it: "a ad ai al alla alle allo anche c che chi ci come con cosa cui d da dal dalla dalle dei del della delle dello di dove e ed era gli ha hanno i il in io l la le lei li lo loro ma mi ne nei nel nella nelle no noi non o per perche piu puo qual quale quali quando quanto quanti questa queste questi questo se sei si sia sono su sua sue sul sulla suo tra un una uno vi voi",
  nl: "aan al als bij dan dat de der deze die dit door een en er het hij hoe hun ik in is je kan kunnen maar met mijn moet na naar niet nog nu of om ook op over te tot uit van veel voor waar waarom wanneer was wat we welke wie wij worden wordt ze zich zij zijn zo zou",
  pt: "a ao aos as ate com como da das de dela dele do dos e ela elas ele eles em entre era essa esse esta estao este eu foi ha isso isto ja mais mas me mesmo meu minha muito na nao nas nem no nos o onde os ou para pela pelas pelo pelos por porque qual quais quando quanto que quem se sem ser seu seus sua suas sao tambem te tem um uma voce",
} as const;

const byLanguage = new Map(Object.entries(stopWords).map(([language, words]) => [language, new Set(words.split(" "))]));
const none: ReadonlySet<string> = new Set();

/**
 * Returns the language with the most stop words among the words, and their number. If several languages have the same number, the
 * first in the list above counts. Undefined if there is no stop word of any language.
 */
export function languageOf(
  words: readonly string[],
): { readonly language: string; readonly count: number } | undefined {
  const lower = words.map((word) => word.toLowerCase());
  let best: { language: string; count: number } | undefined;
  for (const [language, stops] of byLanguage) {
    const count = lower.reduce((sum, word) => sum + (stops.has(word) ? 1 : 0), 0);
    if (count > (best?.count ?? 0)) best = { language, count };
  }
  return best;
}

/** Returns the stop words of the language of a question. */
export function stopWordsOf(words: readonly string[]): ReadonlySet<string> {
  const found = languageOf(words);
  return (found && byLanguage.get(found.language)) ?? none;
}
