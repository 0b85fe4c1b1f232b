/** Completion scripts for shells. Each one asks `rollkey complete` for the words that may follow. */

const bash = `_rollkey() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(rollkey complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _rollkey rollkey
`

const zsh = `#compdef rollkey
_rollkey() {
  local -a found
  found=(\${(f)"$(rollkey complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null | tr '\\t' ':')"})
  (( \${#found} )) && _describe rollkey found || _files
}
compdef _rollkey rollkey
`

const fish = `complete -c rollkey -f -a '(rollkey complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`

export const completionScripts = { bash, zsh, fish }
export type Shell = keyof typeof completionScripts
