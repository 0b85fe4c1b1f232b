/** What the codes mean that are not answers of the API, for docs/errors.md. A code without its row does not compile. */
import type { errors } from '@rollkey/contract'
import type { RollkeyErrorCode } from '@rollkey/sdk'
import type { LineErrorCode } from '../packages/cli/src/frame/cli-error.ts'
import type { CommandErrorCode } from '../packages/server/src/operator/command-error.ts'

/** The code of an error that happens in the client. Its advice is that of the error. */
type ClientErrorCode = Exclude<RollkeyErrorCode, keyof typeof errors>
/** The code of an error of `rollkey` or `rollkey-server`. */
type ProgramErrorCode = Exclude<LineErrorCode | CommandErrorCode, RollkeyErrorCode>

export const clientErrors: Readonly<Record<ClientErrorCode, string>> = {
  CLOSED: 'The client was closed, or the login was canceled.',
  EXCHANGE_REFUSED: 'The service does not exchange the ID token by this trust.',
  INVALID_ANSWER: 'The answer is not that of a Rollkey service.',
  INVALID_SETTING: 'An option, a setting or a local file is wrong.',
  LOGIN_NEEDED: 'There is no login and no token, or the login has ended.',
  NOT_LOCAL: 'A decision in the process needs a variable that is not in its ruleset.',
  STAGE_NOT_FOUND: 'The project or the stage does not exist.',
  UNREACHABLE: 'The service does not answer, or a proxy cannot reach it.',
  UNTRUSTED_URL: 'Only rollkey.json names the address to which the token would go.',
}

export const programErrors: Readonly<Record<ProgramErrorCode, readonly [meaning: string, advice: string]>> = {
  ALREADY_PROPOSED: [
    'An open change proposes the same variables.',
    'Withdraw that one first, or add `--force` to propose another.',
  ],
  CANCELLED: [
    'You answered a question with no, or stopped it.',
    'Nothing was changed; run the command again to change it.',
  ],
  COMMAND_NOT_FOUND: ['`rollkey run` finds no such program.', 'Check its name and `PATH`.'],
  CONFLICT: [
    'The state of the installation does not allow the command.',
    'The message says what stands in the way, such as a running server.',
  ],
  EMPTY_VALUE: [
    'The value is empty, so nothing was written.',
    'Check the program before the pipe or the variable of the shell, or store an empty value with `--allow-empty`.',
  ],
  ENVIRONMENT_TOO_LARGE: [
    'The variables do not fit into the environment of a process.',
    'Write the largest ones to a file with `rollkey pull` or `rollkey render`.',
  ],
  ERROR: [
    'Something failed that has no code.',
    'Read the message; with a request id, ask the operator to look it up in the log.',
  ],
  FILE_EXISTS: [
    'The file exists, and was not overwritten.',
    'Choose another path, or the option that the message names.',
  ],
  INVALID_FILE: [
    'A file has another content than the command needs.',
    'Correct the line or field that the message names.',
  ],
  INVALID_IMPORT: [
    'The file or the answer of the other store cannot be imported.',
    'Correct the line that the message names, or choose the format with `--from`.',
  ],
  INVALID_NAME: [
    'A name is not valid where it would go.',
    'Rename the variable, or use a format that can hold it, such as JSON.',
  ],
  INVALID_OVERRIDES: [
    'The overrides of this machine cannot be decrypted.',
    'Remove them with `rollkey override unset --all`, and set them again.',
  ],
  INVALID_TEMPLATE: ['A template contains something that is not a name.', 'Correct the line that the message names.'],
  INVALID_VALUE: ['A format cannot hold a value.', 'Use a format that can, such as `rollkey pull --format json`.'],
  NOT_AS_DECLARED: [
    'The values of the stage are not what the project declares, so the command was not started.',
    'Run `rollkey check`, and correct what it lists.',
  ],
  NOT_DELIVERED: [
    'The receiver of a webhook did not accept a message.',
    'Look at its answer with `rollkey hook deliveries ID`.',
  ],
  NOT_EXECUTABLE: ['`rollkey run` may not execute the program.', 'Make the file executable, or name its interpreter.'],
  NOT_READ: ['A file cannot be read.', 'Check its path and its permissions.'],
  NOT_STARTED: ['The system could not start the program of `rollkey run`.', 'Read the reason in the message.'],
  NOT_WRITTEN: ['A file cannot be written.', 'Check that its folder exists and that you may write there.'],
  NO_CURRENT_FOLDER: ['The folder in which the command runs was deleted.', 'Change to another folder.'],
  NO_LAST_VALUES: [
    '`--offline` finds no values of the stage on this machine, or they are too old.',
    'Run the command once without `--offline` while the service answers.',
  ],
  OUTPUT_FAILED: ['The output cannot be written, such as to a full disk.', 'Make room, and run the command again.'],
  OUT_OF_DATE: [
    'The file of `rollkey typegen` has other names or types than the stage.',
    'Run the command without `--check`, and commit the file.',
  ],
  RESERVED_NAME: [
    'A variable such as `PATH` would decide which code runs.',
    'Rename it, or pass `--allow-reserved` if that is what you want.',
  ],
  SOURCE_NOT_FOUND: ['The other store has nothing at the path.', 'Check `--path` and `--address`.'],
  SOURCE_REFUSED: [
    'The other store refused the token.',
    'Set a token that may read the path, in the variable that the message names.',
  ],
  UNAVAILABLE: [
    'The store, the KMS or the service cannot be reached.',
    'Check that it runs, and run the command again.',
  ],
  USAGE: ['An argument or option is missing, unknown or malformed.', 'Read the help of the command: `--help`.'],
}
