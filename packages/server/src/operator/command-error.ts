/** Errors of operator commands, in the form of the command line: one line that says what is wrong and what to do. */

import { operatorProgram } from '../base/shipped-files.ts'

export const program = operatorProgram

/** Exit statuses, with the meaning that they have in the command line. */
export const exit = { ok: 0, error: 1, usage: 2, notFound: 5, invalid: 6, unreachable: 8 } as const

const statusOf = {
  /** A missing, unknown or malformed argument or option. */
  USAGE: exit.usage,
  /** A missing or wrong setting of the service. */
  INVALID_SETTING: exit.usage,
  NOT_FOUND: exit.notFound,
  /** The state of the installation does not allow the command. */
  CONFLICT: exit.invalid,
  /** A file with another content than the command needs. */
  INVALID_FILE: exit.invalid,
  FILE_EXISTS: exit.error,
  NOT_READ: exit.error,
  NOT_WRITTEN: exit.error,
  /** The store, the KMS or the service is unreachable. */
  UNAVAILABLE: exit.unreachable,
  ERROR: exit.error,
} as const

export type CommandErrorCode = keyof typeof statusOf

/** The form of the error as JSON, for scripts and between the server and a command. */
export interface CommandErrorJson {
  readonly code: CommandErrorCode
  readonly message: string
  /** A command to try. */
  readonly try?: string
}

/** An error whose message is shown to the operator. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: CommandErrorCode
  /** A command to try, without the name of the program. */
  readonly command: string | undefined

  constructor(code: CommandErrorCode, message: string, command?: string) {
    super(message)
    this.code = code
    this.command = command
  }

  static of({ code, message, try: line }: CommandErrorJson): CommandError {
    return new CommandError(code, message, line?.slice(program.length + 1))
  }

  get status(): number {
    return statusOf[this.code]
  }

  /** `CODE: what; try: command`. */
  get line(): string {
    const what = `${this.code}: ${this.message.replace(/\.$/, '')}`
    return this.command === undefined ? what : `${what}; try: ${program} ${this.command}`
  }

  toJSON(): CommandErrorJson {
    const { code, message, command } = this
    return { code, message, ...(command !== undefined && { try: `${program} ${command}` }) }
  }
}

/** Returns the error for an argument or option that is missing, unknown or malformed. */
export function usage(message: string, command: string): CommandError {
  return new CommandError('USAGE', message, `${command} --help`.trimStart())
}
