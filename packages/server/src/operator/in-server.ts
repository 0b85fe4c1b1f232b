/** Runs commands in the service, for other processes. */
import type { Progress } from '../base/progress.ts'
import { CommandError } from './command-error.ts'
import type { Installation } from './command.ts'
import { commands } from './commands.ts'
import type { CommandRequest } from './socket.ts'

/** Returns a function that runs a command on the open store. */
export function runOn(installation: Installation) {
  return async ({ command: name, input }: CommandRequest, progress: Progress): Promise<unknown> => {
    const command = commands.find((each) => each.name === name)
    if (command && 'runOnStore' in command) return command.runOnStore(installation, input, progress)
    throw new CommandError(
      'ERROR',
      'The running service and this command have different versions: restart the service.',
    )
  }
}
