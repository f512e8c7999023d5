import type { CommandWords, Value } from "./words.ts";

/** Returns a completion script for bash 3.2 and newer. */
export function bashScript(program: string, commands: readonly CommandWords[]): string {
  const fn = `_${program}`;
  return `# bash completion for ${program}; load it with: source <(${program} completion bash)

${fn}_commands() {
  case "$1" in
${commands
  .filter((command) => command.commands.length > 0)
  .map(({ path, commands }) => `    '${path}') echo '${commands.map(({ name }) => name).join(" ")}' ;;`)
  .join("\n")}
  esac
}

${fn}_options() {
  case "$1" in
${commands
  .filter(({ options }) => options.length > 0)
  .map(({ path, options }) => `    '${path}') echo '${options.flatMap(({ names }) => names).join(" ")}' ;;`)
  .join("\n")}
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
        : [`    ${names.map((name) => `'${path} ${name}'`).join(" | ")}) echo '${told(value)}' ;;`],
    ),
    ...(operand === undefined ? [] : [`    '${path}') echo '${told(operand)}' ;;`]),
  ])
  .join("\n")}
  esac
}

${fn}_fill() {
  local kind="\${1%% *}" words="\${1#* }" cur="$2" done='' word
  COMPREPLY=()
  case "$kind" in
    words | list)
      if [[ $kind == list && $cur == *,* ]]; then
        done="\${cur%,*},"
        cur="\${cur##*,}"
      fi
      for word in $words; do
        if [[ $word == "$cur"* ]]; then COMPREPLY+=("$done$word"); fi
      done
      ;;
    files)
      # Readline quotes what is odd in names; older bashes have no way to ask it.
      if type compopt > /dev/null 2>&1; then compopt -o default; else COMPREPLY=($(compgen -f -- "$cur")); fi
      ;;
    folders)
      if type compopt > /dev/null 2>&1; then compopt -o dirnames; else COMPREPLY=($(compgen -d -- "$cur")); fi
      ;;
  esac
}

${fn}() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path='${program}' option='' literal='' word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    # Readline takes --option=value for three words.
    if [[ $word == '=' ]]; then
      continue
    elif [[ -n $option ]]; then
      option=''
    elif [[ -n $literal ]]; then
      continue
    elif [[ $word == '--' ]]; then
      literal=1
    elif [[ $word == -* ]]; then
      if [[ -n $(${fn}_value "$path $word") ]]; then option="$word"; fi
    elif [[ " $(${fn}_commands "$path") " == *" $word "* ]]; then
      path="$path $word"
    fi
  done
  if [[ $cur == '=' ]]; then cur=''; fi
  if [[ -n $option ]]; then
    ${fn}_fill "$(${fn}_value "$path $option")" "$cur"
  elif [[ $cur == -* && -z $literal ]]; then
    ${fn}_fill "words $(${fn}_options "$path")" "$cur"
  elif [[ -n $(${fn}_commands "$path") ]]; then
    ${fn}_fill "words $(${fn}_commands "$path")" "$cur"
  else
    ${fn}_fill "$(${fn}_value "$path")" "$cur"
  fi
}

complete -F ${fn} ${program}
`;
}

function told(value: Value): string {
  return "words" in value ? `${value.kind} ${value.words.join(" ")}` : value.kind;
}
