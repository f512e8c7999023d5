/** Particles, auxiliaries and question words of Japanese, as they are written in hiragana. */
const japanese =
  "は が を に で と も の へ や か から まで より だけ など しか ほど くらい ぐらい ばかり ずつ って とは には では にも でも との への での からの までの という といった として とって にとって による により によって について において における に対して のに ので けど けれど ながら つつ すれば なければ あれば いれば できれば れば れる られ られる せる させ させる され される ない なく なけれ なかっ ずに たい たら なら たり ます まし ません ましょう です でし でしょう だっ だろう である する して した すれ すると なる なり なって なった なれ いる いて いた いって おり おく ある あり あった でき できる できた くる ください くださ もらう いただ いい よい よく べき はず よう ため とき ところ こと もの ほう すぎ すぎる なぜ どう どの どれ どこ どちら どんな なに なん いつ いくつ いくら だれ それぞれ これ それ あれ この その あの ここ そこ こう そう また あと";
/** Endings of words that do not begin with hiragana. */
const japaneseInflections = "ね よ て た っ ば る く い う し さ だ な せ れ";

/** Particles, auxiliaries and endings of Korean. */
const korean =
  "은 는 이 가 을 를 의 에 와 과 도 만 로 으로 에서 에게 에는 에도 께서 까지 부터 보다 처럼 마다 이나 이란 란 하고 하는 하다 하기 하면 하려면 하여 해서 해야 했을 한 할 된 될 되는 되나 되면 되어 인가 입니다 입니까 합니다 합니까 됩니다 됩니까 습니다 습니까 나요 까요 세요 어요 아요 하나요 되나요 인가요 있나요 없나요 있는 없는 있다 있습 없습";

/** Korean words that do not describe the subject of a question. */
const koreanWords = new Set(
  "무엇 무엇을 무엇이 뭐 어떻게 어떤 어디 어디서 언제 왜 누가 누구 얼마 얼마나 그리고 또는 대한 대해 위한 위해 있는 없는 하는 되는 있나요 없나요 하나요 되나요 인가요 있습니까 됩니까 합니까 해야 주세요".split(
    " ",
  ),
);

/** Words of Chinese questions that no Japanese word contains. */
const chinese =
  /为什么|為什麼|怎么样|怎麼樣|怎么|怎麼|什么|什麼|如何|怎样|怎樣|哪些|哪个|哪個|哪里|哪裡|哪儿|是否|能否|可否|请问|請問|有没有|有沒有|是不是|能不能/gu;

const byLength = (words: string): readonly ReadonlySet<string>[] => {
  const lists: Set<string>[] = [];
  for (const word of words.split(" ")) (lists[word.length] ??= new Set()).add(word);
  return lists;
};
const japaneseEndings = byLength(japanese);
const endingsBehindWords = byLength(`${japanese} ${japaneseInflections}`);
const koreanEndings = byLength(korean);

const hiragana = /\p{sc=Hiragana}+/gu;
const endsInWord = /[\p{L}\p{N}]$/u;
const hangul = /\p{sc=Hangul}+/gu;
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Hangul}]/u;

/**
 * Removes function words from a question in scripts whose terms are pairs of characters: they would be most of the terms there,
 * and stop words, which are whole words, cannot match them. Endings are removed one by one from the end of a word. A short
 * remainder after a content word is the inflection of that word.
 */
export function withoutFunctionWords(text: string): string {
  if (!unspaced.test(text)) return text;
  return text
    .replace(chinese, " ")
    .replace(
      hiragana,
      (run, at: number, whole: string) => ` ${ofHiragana(run, endsInWord.test(whole.slice(Math.max(0, at - 2), at)))} `,
    )
    .replace(hangul, ofHangul);
}

/** Maximum number of letters after a character that count as the ending of its word: 忘れ, 新しい. */
const maxEnding = 2;

function ofHiragana(run: string, isBehindWord: boolean): string {
  const isGrammar = isBehindWord && withoutEndings(run, endingsBehindWords, 0).length <= maxEnding;
  return isGrammar ? "" : withoutEndings(run, japaneseEndings, 2);
}

function ofHangul(word: string): string {
  if (koreanWords.has(word)) return "";
  const left = withoutEndings(word, koreanEndings, 2);
  return koreanWords.has(left) ? "" : left;
}

/**
 * Removes endings from a word. At least `least` letters must precede an ending of one letter, which many words have by chance.
 */
function withoutEndings(word: string, endings: readonly ReadonlySet<string>[], least: number): string {
  let left = word;
  for (;;) {
    const cut = longestEnding(left, endings, least);
    if (cut === 0) return left;
    left = left.slice(0, -cut);
  }
}

function longestEnding(word: string, endings: readonly ReadonlySet<string>[], least: number): number {
  for (let length = Math.min(endings.length - 1, word.length); length > 0; length--) {
    if (length === 1 && word.length - length < least) continue;
    if (endings[length]?.has(word.slice(-length)) === true) return length;
  }
  return 0;
}
