/** Signals that this process receives on behalf of the command. */
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'

/** All catchable signals that ask a process to act, except those of job control, which stop and continue both processes. */
const forwarded = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const

/** Signals of the keys Ctrl-C and Ctrl-\. */
const keySignals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT']

/** Signals that end most programs. */
export const endingSignals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP']

/**
 * Passes signals to a handler instead of ending by them, until the returned function is called. SIGKILL cannot be caught: it
 * leaves the command running, as with any parent process. A supervisor must kill the process group or the container.
 */
export function catchSignals(handle: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of forwarded) process.on(signal, handle)
  return () => {
    for (const signal of forwarded) process.off(signal, handle)
  }
}

/**
 * Returns whether a command in the group of this process has received the signal already. The keys of a terminal signal its whole
 * foreground group, so both this process and the command. If it were passed on, it would arrive twice, and many programs treat a
 * second Ctrl-C as "end at once, without clean-up". A SIGINT sent to this process alone in the foreground is not passed on either,
 * since the two look the same. SIGHUP is always passed on: the end of a terminal reaches the session leader first, and a second
 * SIGHUP does no harm.
 */
export function hasReachedGroup(signal: NodeJS.Signals): boolean {
  return keySignals.includes(signal) && isInForeground()
}

/** Returns whether the keys of a terminal signal the group of this process. */
export function isInForeground(): boolean {
  try {
    // proc_pid_stat(5), after the name in parentheses: state, parent, group, session, terminal, foreground group or -1.
    const stat = readFileSync('/proc/self/stat', 'utf8')
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return group === foreground
  } catch {
    // This system has no /proc.
    return process.stdin.isTTY
  }
}

/** Ends this process by the signal, so that its parent sees how the command ended. */
export function dieBy(signal: NodeJS.Signals): number {
  process.kill(process.pid, signal)
  // If the signal is ignored or unknown, this is the status that sh returns.
  return 128 + constants.signals[signal]
}
