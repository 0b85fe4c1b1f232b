import { jsonCommand, refuse, refuseOutsideEnvironment, type Variables } from './refuse.ts'

/** Variables to which bash 5.3 assigns nothing, or something else, without an error. UID and GROUPS are usual in files for Compose. */
const namesOfBash = new Set(
  `_ BASHOPTS BASHPID BASH_ALIASES BASH_ARGC BASH_ARGV BASH_CMDS BASH_COMMAND BASH_LINENO BASH_MONOSECONDS BASH_SOURCE BASH_SUBSHELL BASH_TRAPSIG BASH_VERSINFO
  DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME GROUPS HISTCMD LINENO OPTIND PPID RANDOM SECONDS SHELLOPTS SHLVL SRANDOM
  UID`.split(/\s+/),
)

/** Writes lines for `eval "$(…)"` and `. file` in any POSIX shell. Between single quotes, only the quote itself is special. */
export function shell(variables: Variables): string {
  refuseOutsideEnvironment(variables)
  const names = Object.keys(variables).filter((name) => namesOfBash.has(name))
  refuse('INVALID_NAME', names, 'Bash sets these names itself, whatever is assigned to them', jsonCommand)
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
    .join('')
}

/** Returns a text as a word of a command line: in quotes if a shell would change it otherwise. */
export function shellWord(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : quoted(text)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
