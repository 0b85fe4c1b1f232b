import { Child, type ExitResult } from './child.ts'
import { catchSignals, ending, hasReachedGroup } from './signals.ts'

/** So long a command may take to end before it is killed, in milliseconds. */
const patienceMs = 10_000

export interface Plan {
  /** The command and its arguments. */
  readonly argv: readonly string[]
  readonly environment: NodeJS.ProcessEnv
  /** The environment to start the command again with; resolves when there is one. Absent: the command runs once. */
  readonly next?: (() => Promise<NodeJS.ProcessEnv>) | undefined
}

/**
 * Runs the command until it ends by itself or by a signal that reached us. None is left behind unless we are killed by SIGKILL:
 * we wait for it after each signal, and if we break down ourselves it is told to end. Throws a Failure if it cannot be started.
 */
export async function supervise({ argv, environment, next }: Plan): Promise<ExitResult> {
  let child: Child | undefined
  let isRestarting = false
  let endedBy: NodeJS.Signals | undefined
  const release = catchSignals((signal) => {
    // Between two commands each of them is for us. A command that runs may live on after others, but not after SIGTERM.
    if (signal === 'SIGTERM' || (isRestarting && ending.includes(signal))) endedBy = signal
    if (!hasReachedGroup(signal)) child?.kill(signal)
  })
  const end = (): void => child?.kill('SIGTERM')
  process.once('exit', end)
  try {
    for (let current = environment; ;) {
      child = await Child.start(argv, current)
      isRestarting = false
      const over = child.ended.then(() => undefined)
      const changed = await Promise.race(next ? [over, next()] : [over])
      if (changed === undefined || endedBy !== undefined) return await child.ended
      isRestarting = true
      await child.stop(patienceMs)
      if (endedBy !== undefined) return { code: null, signal: endedBy }
      current = changed
    }
  } finally {
    process.off('exit', end)
    release()
  }
}
