/** Completion scripts for shells. Each one asks `rollkey complete` for the words that may follow. */

/**
 * Bash also splits words at `=`, `:` and others, which are joined again where no white space was between them. `$2` is what it replaces: the
 * end of the last word, without quotes.
 */
const bash = `_rollkey() {
  local IFS=$'\\n' rest=$COMP_LINE quotes=$'["\\'\\\\\\\\]' word
  local -a words=()
  for word in "\${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    if [[ \${#words[@]} == 0 || $rest == [[:space:]]* ]]; then words+=("$word"); else words[\${#words[@]}-1]+=$word; fi
    rest=\${rest#*"$word"}
  done
  words=("\${words[@]//$quotes/}")
  word=\${words[\${#words[@]}-1]}
  COMPREPLY=($(compgen -W "$(rollkey complete -- "\${words[@]:1}" 2>/dev/null | cut -f1)" -- "$word"))
  COMPREPLY=("\${COMPREPLY[@]#"\${word%"$2"}"}")
}
complete -o default -F _rollkey rollkey
`

const zsh = `#compdef rollkey
_rollkey() {
  local -a found
  found=(\${(f)"$(rollkey complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null | tr '\\t' ':')"})
  (( \${#found} )) && _describe rollkey found || { compset -P '--*='; _files }
}
compdef _rollkey rollkey
`

/** Fish has no files after an option and `=`, so it looks for them without the option. */
const fish = `function __rollkey_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (rollkey complete -- $words[2..-1] 2>/dev/null)
  if set -q found[1]
    string join \\n -- $found
  else
    set -l option (string match -r -- '^--[^=]+=' $words[-1])
    for file in (__fish_complete_path (string replace -r -- '^--[^=]+=' '' $words[-1]))
      echo -- "$option$file"
    end
  end
end
complete -c rollkey -f -a '(__rollkey_complete)'
`

export const completionScripts = { bash, zsh, fish }
export type Shell = keyof typeof completionScripts
