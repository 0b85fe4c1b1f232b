import { Child, type ExitResult } from './child.ts'
import { catchSignals, endingSignals, hasReachedGroup } from './signals.ts'

/** How long a command may take to end before it is killed, in milliseconds. */
const gracePeriodMs = 10_000

export interface Plan {
  /** The command and its arguments. */
  readonly argv: readonly string[]
  readonly environment: NodeJS.ProcessEnv
  /** Resolves with the next environment when the command must restart. If absent, the command runs once. */
  readonly next?: (() => Promise<NodeJS.ProcessEnv>) | undefined
}

/**
 * Runs the command until it ends by itself or by a signal that this process receives. Leaves no command behind, except after
 * SIGKILL: it waits for the command after each signal, and sends it SIGTERM if this process fails. Throws a CliError if the
 * command cannot be started.
 */
export async function supervise({ argv, environment, next }: Plan): Promise<ExitResult> {
  let child: Child | undefined
  let isRestarting = false
  let endedBy: NodeJS.Signals | undefined
  const release = catchSignals((signal) => {
    // During a restart, each ending signal ends this process too. A running command may survive others, but not SIGTERM.
    if (signal === 'SIGTERM' || (isRestarting && endingSignals.includes(signal))) endedBy = signal
    if (child?.isInGroup !== true || !hasReachedGroup(signal)) child?.kill(signal)
  })
  const end = (): void => child?.kill('SIGTERM')
  process.once('exit', end)
  try {
    for (let current = environment; ;) {
      child = await Child.start(argv, current)
      isRestarting = false
      const hasEnded = child.ended.then(() => undefined)
      const changed = await Promise.race(next ? [hasEnded, next()] : [hasEnded])
      if (changed === undefined || endedBy !== undefined) return await child.ended
      isRestarting = true
      await child.stop(gracePeriodMs)
      if (endedBy !== undefined) return { code: null, signal: endedBy }
      current = changed
    }
  } finally {
    process.off('exit', end)
    release()
  }
}
