/** Texts of changes that wait or run by themselves: their states, their steps and the form that plans them. */
import { type ChangeState, limits } from '@rollkey/contract/rules'
import { countText, percentText, unbroken } from '../../lib/numbers.ts'

export const labels = {
  needsYou: 'Needs your review',
  rejected: 'Changes requested',
  approvals: (given: number, required: number) => {
    const needed = `${countText(required)} ${required === 1 ? 'approval' : 'approvals'}`
    return given === 0 ? `Needs ${needed}` : `${countText(given)} of ${needed}`
  },
  ready: 'Ready to apply',
  readyLater: 'Approved, after the freeze',
  outOfDate: 'Out of date',
  due: (when: string) => `Applies ${when}`,
  step: (done: number, all: number) => `Step ${countText(done)} of ${countText(all)}`,
  pausedAt: (done: number, all: number) => `Paused after step ${countText(done)} of ${countText(all)}`,
  states: {
    open: 'Open',
    failed: 'Failed',
    running: 'Running',
    paused: 'Paused',
    applied: 'Applied',
    withdrawn: 'Withdrawn',
    aborted: 'Aborted',
  } satisfies Record<ChangeState, string>,
  /** What a change that is not settled does. */
  waits: {
    proposed: 'A proposed change waits for approval',
    approved: 'An approved change waits',
    planned: 'A change is planned',
    runs: (isRotation: boolean) => (isRotation ? 'A rotation runs' : 'A rollout runs'),
    paused: (isRotation: boolean) => (isRotation ? 'A rotation is paused' : 'A rollout is paused'),
    failed: 'A change failed',
    outOfDate: 'A proposed change is out of date',
  },
  chance: (before: number | undefined, after: number) =>
    `${before === undefined ? '' : `${unbroken(percentText(before))} → `}${unbroken(percentText(after))}`,
  pause: 'Pause',
  rollout: 'rollout',
  paused: (name: string, what: string) => `Paused the ${what} of ${name}`,
  resume: 'Resume',
  resumed: (name: string, what: string) => `Resumed the ${what} of ${name}`,
  skip: 'Skip the next step',
  skipped: (name: string, what: string) => `Skipped a step of the ${what} of ${name}`,
  rampForm: {
    menu: 'Plan',
    inSteps: 'Change in steps…',
    inStepsTitle: (name: string) => `Change the chance of ${name} in steps`,
    setLater: 'Set at a time…',
    setTitle: (name: string) => `Set the chance of ${name} at a time`,
    steps: 'Chances of A',
    stepsUse: 'In their order, such as 1% 10% 50% 100%.',
    chance: 'Chance of A',
    first: 'First step',
    time: 'When',
    firstUse: (isReviewed: boolean) =>
      isReviewed ? 'The change must be approved by then.' : 'Leave it empty to start now.',
    zone: 'Time zone',
    every: 'Every',
    unit: 'Unit',
    units: { d: 'days', h: 'hours', w: 'weeks', m: 'minutes' },
    weekends: 'Not on weekends',
    weekendsUse: 'Steps on a Saturday or Sunday move to Monday. Later steps move with them.',
    guard: 'If the served values do not fit the chance',
    guardUse: 'Checked before each step.',
    guards: { hold: 'Pause', abort: stopAt(0), continue: 'Go on' },
    stopAt,
    preview: 'Steps',
    frozen: (until: string) => `Waits for the end of a freeze: ${until}`,
    falls: (from: number, to: number) =>
      `The chance falls from ${unbroken(percentText(from))} to ${unbroken(percentText(to))}: some users who get A would get B again.`,
    defaultReason: (name: string, from: number, to: number) =>
      to > from
        ? `Roll out ${name} to ${percentText(to)}`
        : to < from
          ? `Lower ${name} to ${percentText(to)}`
          : `Bring ${name} back to ${percentText(to)}`,
    schedule: (stage: string) => `Schedule for ${stage}`,
    start: (stage: string) => `Start in ${stage}`,
    propose: (stage: string) => `Propose for ${stage}`,
    /** `when`: undefined if the first step is taken at once. `more`: the number of steps after it. */
    scheduled: (name: string, stage: string, percent: string, when: string | undefined, more: number) =>
      `${when === undefined ? 'Started' : 'Planned'} ${name} in ${stage}: ${percent}${when === undefined ? ' now' : `, ${when}`}${
        more === 0 ? '' : more === 1 ? ', then 1 more step' : `, then ${countText(more)} more steps`
      }`,
    wrongSteps: `Enter 1 to ${limits.rampSteps} percentages from 0 to 100, such as 1% 10% 50% 100%.`,
    wrongChance: 'Choose another chance than the present one.',
    wrongCount: 'Enter a whole number; steps are at most 366 days apart.',
    wrongZone: 'This is not a time zone. Enter a name such as Europe/Berlin or UTC.',
    noStart: 'Enter a time: the change is reviewed before it.',
    passedStart: 'This time has passed. Enter a later one.',
  },
  rotation: {
    what: 'rotation',
    step: (done: number, all: number) => `Rotation, step ${countText(done)} of ${countText(all)}`,
    paused: (done: number, all: number) => `Rotation, paused after step ${countText(done)} of ${countText(all)}`,
    stopped: 'Rotation, without further steps',
    shares: (percent: string) => `${unbroken(percent)} of requests get the new value, all others the old one.`,
    finish: 'Finish',
    finishTitle: (name: string) => `Give everyone the new value of ${name}?`,
    finishText: (stage: string) =>
      `From the next request on, everyone in ${stage} gets the new value. The rotation ends, and the old value is in the history only.`,
    back: 'Back to old',
    backTitle: (name: string) => `Give everyone the old value of ${name}?`,
    backText: (stage: string) =>
      `From the next request on, everyone in ${stage} gets the old value. The rotation ends, and the new value is dropped.`,
    ended: (name: string, stage: string, side: 'new' | 'old') =>
      `Ended the rotation of ${name} in ${stage}: everyone gets the ${side} value`,
  },
  planned: {
    title: 'Planned changes',
    lead: 'Changes of this roll that run by themselves or wait for approval.',
    several: (count: number) => `${countText(count)} changes wait or run`,
    next: (percent: string, when: string, exactly: string) => `Next: ${percent} ${when} (${exactly})`,
    ended: (reason: string, next: string | undefined) =>
      `The plan “${reason}”${next === undefined ? '' : ` (${next})`} will not go on.`,
    outdated: (reason: string) => `The proposed change “${reason}” is out of date then.`,
    paused: (reason: string, next: string | undefined) =>
      `The rollout “${reason}”${next === undefined ? '' : ` (${next})`} will be paused.`,
    nextStep: (percent: string, when: string) => `next: ${unbroken(percent)} ${when}`,
    stays: (isUndone: boolean) =>
      `If you keep a plan, it is out of date${isUndone ? ', even after Undo,' : ''} until its proposer bases it on the present state.`,
    withdraw: (count: number) => (count === 1 ? 'Also withdraw the plan' : 'Also withdraw the plans'),
    withdrawUse: 'A withdrawn plan does not come back.',
    outOfDate: (name: string | undefined) =>
      `It cannot be applied, because ${name ?? 'one of its variables'} has changed since. Open it to renew or withdraw it.`,
  },
} as const

function stopAt(chance: number): string {
  return `Stop: chance ${percentText(chance)}`
}
