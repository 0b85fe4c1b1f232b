/** Signals that reach us and are meant for the command. */
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'

/** All that ask a process to do something and can be caught, but for those of job control, which stop and wake both. */
const forwarded = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const

/** Ctrl-C and Ctrl-\. */
const ofKeys: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT']

/** Those by which most programs end. */
export const ending: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP']

/**
 * Hands signals over instead of dying by them, until the function that it returns is called. SIGKILL cannot be handed over:
 * whoever kills us so leaves the command running, as with any parent; a supervisor has to kill the group or the container.
 */
export function catchSignals(handle: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of forwarded) process.on(signal, handle)
  return () => {
    for (const signal of forwarded) process.off(signal, handle)
  }
}

/**
 * Whether the command has got the signal already. The keys of a terminal signal its whole foreground group, so us and the
 * command alike; passed on, it would come twice, and many programs take the second Ctrl-C for "at once, without clean-up". That
 * also holds for the one who sends SIGINT to us alone while we are in the foreground: nothing tells the two apart. SIGHUP is
 * always passed on: the end of a terminal reaches a session leader first, and a second one does no harm.
 */
export function hasReachedGroup(signal: NodeJS.Signals): boolean {
  return ofKeys.includes(signal) && isInForeground()
}

function isInForeground(): boolean {
  try {
    // proc_pid_stat(5): after the name in parentheses: state, parent, group, session, terminal, foreground group or -1.
    const stat = readFileSync('/proc/self/stat', 'utf8')
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return group === foreground
  } catch {
    // A system without /proc.
    return process.stdin.isTTY
  }
}

/** Ends this process by the signal, so that whoever waits for us sees what the command died of. */
export function dieBy(signal: NodeJS.Signals): number {
  process.kill(process.pid, signal)
  // Where a signal is ignored or unknown: the status that sh gives.
  return 128 + constants.signals[signal]
}
