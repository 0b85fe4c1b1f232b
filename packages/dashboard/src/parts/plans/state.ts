/** The state of a change in words, by what someone can do about it next. */
import type { ListedChange } from '@rollkey/sdk/core'
import { relativeTime } from '../../lib/time.ts'
import { labels } from './labels.ts'

type Stated = Pick<
  ListedChange,
  'state' | 'needsYou' | 'approvals' | 'conflictAt' | 'dueAtMs' | 'applyAtMs' | 'steps' | 'stepsDone' | 'problem'
>

export interface ProposalState {
  readonly text: string
  /** `you`: the viewer is asked; `attention`: someone must look; `good`: it can go on; `calm`: nothing to do. */
  readonly tone: 'you' | 'attention' | 'good' | 'calm'
}

/** Returns the state of a change in words. `isFrozen`: whether its stage is. */
export function stateOf(
  { state, needsYou, approvals, conflictAt, steps = [], stepsDone = 0, problem, ...times }: Stated,
  nowMs: number,
  isFrozen = false,
): ProposalState {
  const { required, approvers, rejectors, isApproved } = approvals
  const dueAtMs = times.dueAtMs ?? times.applyAtMs
  switch (state) {
    case 'open':
      if (conflictAt !== undefined) return { text: labels.outOfDate, tone: 'attention' }
      if (needsYou) return { text: labels.needsYou, tone: 'you' }
      if (rejectors.length > 0) return { text: labels.rejected, tone: 'attention' }
      if (!isApproved) return { text: labels.approvals(approvers.length, required), tone: 'calm' }
      if (dueAtMs !== undefined) return { text: labels.due(relativeTime(dueAtMs, nowMs)), tone: 'good' }
      return isFrozen ? { text: labels.readyLater, tone: 'calm' } : { text: labels.ready, tone: 'good' }
    case 'running':
      return { text: labels.step(stepsDone, steps.length), tone: 'good' }
    case 'paused':
      // Without a problem, a person paused it.
      return { text: labels.pausedAt(stepsDone, steps.length), tone: problem === undefined ? 'calm' : 'attention' }
    case 'failed':
      return { text: labels.states.failed, tone: 'attention' }
    default:
      return { text: labels.states[state], tone: 'calm' }
  }
}

/** Returns whether the steps of a change give a secret another value. */
export function isRotation({ steps }: Pick<Stated, 'steps'>, variable: { readonly kind: string } | undefined): boolean {
  return steps !== undefined && variable?.kind === 'secret'
}

/** Returns what a change that is not settled does, as a title. `rotates`: its steps are those of a secret. */
export function waitsText(
  {
    state,
    approvals,
    conflictAt,
    ...times
  }: Pick<Stated, 'state' | 'approvals' | 'conflictAt' | 'dueAtMs' | 'applyAtMs'>,
  rotates = false,
): string {
  const { waits } = labels
  if (state === 'running') return waits.runs(rotates)
  if (state === 'paused') return waits.paused(rotates)
  if (state === 'failed') return waits.failed
  if (conflictAt !== undefined) return waits.outOfDate
  if (!approvals.isApproved) return waits.proposed
  return (times.dueAtMs ?? times.applyAtMs) === undefined ? waits.approved : waits.planned
}
