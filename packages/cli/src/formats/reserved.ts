/** Names that decide what code runs. Commands accept them from a stage only if the user allows it. */
import { refuse, type Variables } from './refuse.ts'

/**
 * Anyone who can write to the stage could run code on every machine with these names: they choose programs, libraries,
 * start-up files and certificates. Sources: ld.so(8), dyld(1), bash(1), zsh(1), git(1), less(1) and the manuals of the
 * interpreters. No such list is complete, since each program reads other variables too.
 */
const reserved = `
  PATH HOME SHELL IFS ENV BASH_ENV ZDOTDIR SHELLOPTS PROMPT_COMMAND PS4
  LD_.* DYLD_.* GCONV_PATH
  BROWSER PAGER EDITOR VISUAL LESSOPEN LESSCLOSE SSH_ASKPASS
  GIT_SSH GIT_SSH_COMMAND GIT_EXEC_PATH GIT_CONFIG.* GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR GIT_ASKPASS
  NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NPM_CONFIG_.*
  PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONWARNINGS PYTHONBREAKPOINT
  PERL5LIB PERL5OPT RUBYLIB RUBYOPT LUA_INIT.* PHPRC DOTNET_STARTUP_HOOKS
  JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH
  HTTP_PROXY HTTPS_PROXY ALL_PROXY`

/** Ignores case: Windows does, and variables of npm and proxies are also set in lower case. */
const reservedName = new RegExp(`^(${reserved.trim().split(/\s+/).join('|')})$`, 'i')

/** Throws RESERVED_NAME if a name is reserved. `command` is the command that allows it. */
export function refuseReserved(variables: Variables, command: string): void {
  const names = Object.keys(variables).filter((name) => reservedName.test(name))
  refuse(
    'RESERVED_NAME',
    names,
    'These names decide what code runs on this machine, so a stage may not set them',
    command,
  )
}
