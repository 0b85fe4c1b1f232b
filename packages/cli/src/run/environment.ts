/** The environment that `rollkey run` gives to its command. */
import { refuse, refuseOutsideEnvironment } from '../formats/refuse.ts'

/** Our own credentials, for nobody but us. A variable of the stage that has such a name is the command's own. */
const withheld = ['ROLLKEY_TOKEN', 'ROLLKEY_TOKEN_FILE']

/**
 * Whoever can write to the stage could run code of theirs on every machine by these: they say where programs, libraries and
 * start-up files come from. (ld.so(8), dyld(1), bash(1), git(1), and the interpreters' own manuals.)
 */
const reserved = `
  PATH HOME SHELL IFS BASH_ENV SHELLOPTS PROMPT_COMMAND
  LD_.* DYLD_.* GCONV_PATH GIT_SSH GIT_SSH_COMMAND GIT_EXEC_PATH GIT_CONFIG_.*
  NODE_OPTIONS NODE_PATH PYTHONPATH PYTHONHOME PYTHONSTARTUP PERL5LIB PERL5OPT RUBYLIB RUBYOPT
  JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH`
const reservedName = new RegExp(`^(${reserved.trim().split(/\s+/).join('|')})$`)

export type Variables = Readonly<Record<string, string>>

/** What this process has, without our credentials, and the variables, which win. Throws what the environment cannot hold. */
export function environmentOf(
  parent: NodeJS.ProcessEnv,
  variables: Variables,
  { allowsReserved }: { readonly allowsReserved: boolean },
): NodeJS.ProcessEnv {
  refuseOutsideEnvironment(variables)
  if (!allowsReserved) {
    const names = Object.keys(variables).filter((name) => reservedName.test(name))
    refuse('RESERVED_NAME', names, 'The stage would decide what code runs here by', 'rollkey run --allow-reserved -- …')
  }
  const inherited = Object.entries(parent).filter(([name]) => !withheld.includes(name))
  return { ...Object.fromEntries(inherited), ...variables }
}

/** How many variables are new, gone or of another value. */
export function countChanges(before: Variables, after: Variables): number {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => before[name] !== after[name]).length
}
