import type { CommandWords, OptionWords, Value } from "./words.ts";

/** Returns a completion script for zsh, to be sourced or saved as `_drs` in a folder of `fpath`. */
export function zshScript(program: string, commands: readonly CommandWords[]): string {
  const fn = `_${program}`;
  return `#compdef ${program}
# zsh completion for ${program}; load it after compinit with: source <(${program} completion zsh)

${fn}_commands() {
  case "$1" in
${commands
  .filter((command) => command.commands.length > 0)
  .map(({ path, commands }) => `    ${quoted(path)}) reply=(${commands.map(entry).join(" ")}) ;;`)
  .join("\n")}
    *) reply=() ;;
  esac
}

${fn}_options() {
  case "$1" in
${commands
  .filter(({ options }) => options.length > 0)
  .map(({ path, options }) => `    ${quoted(path)}) reply=(${options.flatMap(optionEntries).join(" ")}) ;;`)
  .join("\n")}
    *) reply=() ;;
  esac
}

# What follows an option, or what the command works on: its kind, then its words.
${fn}_value() {
  case "$1" in
${commands
  .flatMap(({ path, options, operand }) => [
    ...options.flatMap(({ names, value }) =>
      value === undefined
        ? []
        : [`    ${names.map((name) => quoted(`${path} ${name}`)).join(" | ")}) reply=(${told(value)}) ;;`],
    ),
    ...(operand === undefined ? [] : [`    ${quoted(path)}) reply=(${told(operand)}) ;;`]),
  ])
  .join("\n")}
    *) reply=() ;;
  esac
}

${fn}_fill() {
  local kind="$1"
  shift
  case "$kind" in
    words) compadd -- "$@" ;;
    list)
      compset -P '*,'
      compadd -qS , -- "$@"
      ;;
    files) _files ;;
    folders) _files -/ ;;
    *) _message 'a value' ;;
  esac
}

${fn}() {
  local at='${program}' option='' literal='' word i
  local -a reply
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if [[ -n $option ]]; then
      option=''
    elif [[ -n $literal ]]; then
      continue
    elif [[ $word == '--' ]]; then
      literal=1
    elif [[ $word == -* ]]; then
      ${fn}_value "$at $word"
      if (( $#reply )); then option="$word"; fi
    else
      ${fn}_commands "$at"
      if (( \${reply[(I)\${(b)word}:*]} )); then at="$at $word"; fi
    fi
  done
  word="\${words[CURRENT]}"
  if [[ -n $option ]]; then
    ${fn}_value "$at $option"
    ${fn}_fill "\${reply[@]}"
  elif [[ $word == --*=* && -z $literal ]]; then
    ${fn}_value "$at \${word%%=*}"
    compset -P '*='
    ${fn}_fill "\${reply[@]}"
  elif [[ $word == -* && -z $literal ]]; then
    ${fn}_options "$at"
    _describe option reply
  else
    ${fn}_commands "$at"
    if (( $#reply )); then
      _describe command reply
    else
      ${fn}_value "$at"
      if (( $#reply )); then ${fn}_fill "\${reply[@]}"; fi
    fi
  fi
}

if [[ "\${funcstack[1]}" == ${fn} ]]; then
  ${fn} "$@"
else
  compdef ${fn} ${program}
fi
`;
}

function told(value: Value): string {
  return "words" in value ? [value.kind, ...value.words.map(quoted)].join(" ") : value.kind;
}

function optionEntries({ names, description }: OptionWords): string[] {
  return names.map((name) => entry({ name, description }));
}

/** Writes an entry for `_describe`, in which a colon ends the name. */
function entry({ name, description }: { readonly name: string; readonly description: string }): string {
  return quoted(`${name.replaceAll(":", "\\:")}:${description}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
