/** Texts of proposed changes: the list, one of them, and the form that proposes. */
import { type ChangeState, limits } from '@rollkey/contract/rules'
import { countText, percentText, shareText, unbroken } from '../../lib/numbers.ts'

const list = new Intl.ListFormat('en', { type: 'conjunction' })

function namesText(names: readonly string[], count: number): string {
  return count > names.length || count > 3 ? `${countText(count)} variables` : list.format(names)
}

function stopAt(chance: number): string {
  return `Stop: chance ${percentText(chance)}`
}

export const labels = {
  title: 'Changes',
  lead: 'Proposed changes of protected stages, and rollouts that climb by themselves.',
  list: 'Changes',
  shown: { open: 'Open', yours: 'Needs you', all: 'All' },
  none: { open: 'No open changes', yours: 'Nothing needs you', all: 'No changes yet' },
  noneText:
    'In a stage that requires approval, a change is proposed, reviewed by others, and applied then. Set that in the menu of the stage.',
  openProject: (project: string) => `Open ${project}`,
  what: 'Change',
  stage: 'Stage',
  state: 'State',
  by: 'Proposed by',
  names: namesText,
  place: (project: string, stage: string) => `${project} / ${stage}`,
  stageHistory: 'History of the stage',
  needing: (count: number) => (count === 1 ? '1 change needs you' : `${countText(count)} changes need you`),

  needsYou: 'Needs your review',
  rejected: 'Changes requested',
  approvals: (given: number, required: number) => `${countText(given)} of ${countText(required)} approvals`,
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

  items: 'What it changes',
  actions: { create: 'New', update: 'Changed', delete: 'Deleted', chance: 'Chance' },
  chance: (before: number | undefined, after: number) =>
    `${before === undefined ? '' : `${unbroken(percentText(before))} → `}${unbroken(percentText(after))}`,
  separator: ' · ',
  when: { before: 'Before', after: 'After' },
  notThere: 'Not there',
  same: 'Nothing changes any more',
  reveal: 'Reveal values',
  hide: 'Hide values',
  revealHint: 'Revealing is recorded in the audit log. Values are hidden again after 30 seconds.',
  changedAt: (revision: number) => `Changed since, in revision ${countText(revision)}`,
  conflictTitle: 'This change is out of date',
  conflictText: (names: readonly string[], isYours: boolean, needsApproval: boolean) =>
    `It cannot be applied, because ${list.format(names)} ${names.length === 1 ? 'has' : 'have'} changed since. ${
      isYours
        ? `Base it on the present state${needsApproval ? ', which voids its approvals' : ''}, or withdraw it.`
        : 'Who proposed it can base it on the present state. Or withdraw it, and propose another.'
    }`,
  rebase: {
    open: 'Base on the present state',
    title: (stage: string) => `Base this change on the present state of ${stage}?`,
    button: (stage: string) => `Base on the present state of ${stage}`,
    approval: 'The change needs approval again.',
    moves: (name: string, from: string, to: string) =>
      `It also sets the chance of ${name} from ${from} to ${to}, which was its chance when the change was proposed.`,
    next: (names: string, when: string, exactly: string) => `The service then changes ${names} ${when} (${exactly}).`,
    done: (stage: string, needsApproval: boolean) =>
      `Based on the present state of ${stage}${needsApproval ? '; it needs approval again' : ''}`,
  },

  review: 'Review',
  reviews: 'Reviews',
  noReviews: 'No reviews yet.',
  comment: 'Comment',
  commentUse: 'Others see it. It may be empty when you approve.',
  approve: 'Approve',
  requestChanges: 'Request changes',
  approved: (names: string, stage: string) => `Approved the change of ${names} in ${stage}`,
  changesRequested: (names: string, stage: string) => `Requested changes to the change of ${names} in ${stage}`,
  verdicts: { approve: 'Approved', reject: 'Requested changes' },
  voided: 'Voided by an edit',
  uncounted: 'Does not count: this person may not approve here',
  noApproval: 'This stage requires no approval.',
  ownChange: 'You proposed it, so others review it.',

  apply: (stage: string) => `Apply to ${stage}`,
  applyTitle: (names: string, stage: string) => `Apply the change of ${names} to ${stage} now?`,
  applied: (names: string, stage: string) => `Applied the change of ${names} to ${stage}`,
  withdraw: 'Withdraw',
  withdrawTitle: 'Withdraw this change?',
  withdrawText: 'It is not applied any more, and its proposed values are deleted. It stays in the list.',
  withdrawn: (names: string) => `Withdrew the change of ${names}`,
  frozen: (until: string) => `The stage is frozen until ${until}. The change is applied then at the earliest.`,
  problemTitle: 'It could not be applied',
  back: 'All changes',

  facts: {
    proposedBy: 'Proposed by',
    proposedAt: 'Proposed',
    dueAt: 'Applies',
    zone: 'Time zone',
    roll: 'Roll',
    source: 'Copied from',
    appliedRevision: 'Revision',
    settledBy: { applied: 'Applied by', withdrawn: 'Withdrawn by', aborted: 'Aborted by' },
    settledAt: { applied: 'Applied', withdrawn: 'Withdrawn', aborted: 'Aborted' },
  },

  ramp: 'Rollout',
  rampLead: (name: string) => `The chance of ${name} changes at these times.`,
  rampDone: (name: string) => `The chance of ${name} changed at these times.`,
  rampPlanned: (name: string) => `The chance of ${name} was to change at these times.`,
  rampPaused: (name: string) =>
    `The rollout is paused: the chance of ${name} stays as it is until someone resumes it. Steps that are late by then move by whole days.`,
  rampAborted: (name: string, percent: string) =>
    `The rollout was aborted, which set the chance of ${name} to ${percent}.`,
  stepDone: 'Done',
  stepNext: 'Next',
  stepNotTaken: 'Not taken',
  stepPaused: 'Paused, planned for',
  served: (a: number, all: number) => `Served A ${countText(a)} of ${countText(all)} times (${shareText(a, all)})`,
  nothingServed: 'Nothing counted yet',
  servedUse: 'By chance alone, in the whole hours of this step',
  pause: 'Pause',
  paused: (name: string) => `Paused the rollout of ${name}`,
  resume: 'Resume',
  resumed: (name: string) => `Resumed the rollout of ${name}`,
  skip: 'Skip the next step',
  skipped: (name: string) => `Skipped a step of the rollout of ${name}`,
  abort: 'Abort…',
  abortTitle: 'Abort the rollout?',
  abortText: 'It takes no further steps, and the chance becomes this from the next request on:',
  abortChance: 'Chance of A',
  abortButton: 'Abort the rollout',
  aborted: (percent: string) => `Aborted the rollout: the chance is ${percent}`,

  rampForm: {
    menu: 'Plan',
    raise: 'Raise in steps…',
    raiseTitle: (name: string) => `Raise ${name} in steps`,
    setLater: 'Set at a time…',
    setTitle: (name: string) => `Set the chance of ${name} at a time`,
    steps: 'Chances of A',
    stepsUse: 'In their order, such as 1 % 10 % 50 % 100 %.',
    chance: 'Chance of A',
    first: 'First step',
    time: 'When',
    firstUse: (isReviewed: boolean) => (isReviewed ? 'It must be approved by then.' : 'Leave it empty to start now.'),
    zone: 'Time zone',
    every: 'Every',
    unit: 'Unit',
    units: { d: 'days', h: 'hours', w: 'weeks', m: 'minutes' },
    weekends: 'Not on weekends',
    weekendsUse: 'A step that would be on a Saturday or Sunday moves to Monday, and the later steps move with it.',
    guard: 'If the served values do not fit the chance',
    guardUse: 'Checked before each step.',
    guards: { hold: 'Pause', abort: stopAt(0), continue: 'Go on' },
    stopAt,
    preview: 'Steps',
    frozen: (until: string) => `Waits for the end of a freeze: ${until}`,
    falls: (from: number, to: number) =>
      `The chance falls from ${unbroken(percentText(from))} to ${unbroken(percentText(to))}: some users who get A would get B again.`,
    defaultReason: (name: string, percent: string) => `Roll out ${name} to ${percent}`,
    schedule: (stage: string) => `Schedule for ${stage}`,
    propose: (stage: string) => `Propose for ${stage}`,
    /** `when`: undefined if the first step is taken at once. `more`: the number of steps after it. */
    scheduled: (name: string, stage: string, percent: string, when: string | undefined, more: number) =>
      `${when === undefined ? 'Started' : 'Planned'} ${name} in ${stage}: ${percent}${when === undefined ? ' now' : `, ${when}`}${
        more === 0 ? '' : more === 1 ? ', then 1 more step' : `, then ${countText(more)} more steps`
      }`,
    wrongSteps: `Enter 1 to ${limits.rampSteps} percentages from 0 to 100, such as 1 % 10 % 50 % 100 %.`,
    wrongChance: 'Choose another chance than the present one.',
    wrongCount: 'Enter a whole number; steps are at most 366 days apart.',
    wrongZone: 'This is not a time zone. Enter a name such as Europe/Berlin or UTC.',
    noStart: 'Enter a time: the change is reviewed before it.',
    passedStart: 'This time has passed. Enter a later one.',
  },

  planned: {
    title: 'Planned changes',
    lead: 'What changes this roll by itself, or waits for approval.',
    waiting: (count: number) => (count === 1 ? 'A proposed change waits' : 'Proposed changes wait'),
    next: (percent: string, when: string, exactly: string) => `Next: ${percent} ${when} (${exactly})`,
    ended: (reason: string, next: string | undefined) =>
      `The plan “${reason}”${next === undefined ? '' : ` (${next})`} does not go on.`,
    outdated: (reason: string) => `The proposed change “${reason}” is out of date then.`,
    paused: (reason: string, next: string | undefined) =>
      `The rollout “${reason}”${next === undefined ? '' : ` (${next})`} is paused.`,
    nextStep: (percent: string, when: string) => `next: ${unbroken(percent)} ${when}`,
    notUndone: 'Undo brings back the roll, but not the plan.',
    withdraw: (count: number) => (count === 1 ? 'Also withdraw the plan' : 'Also withdraw the plans'),
    outOfDate: (name: string | undefined) =>
      `It cannot be applied, because ${name ?? 'one of its variables'} has changed since. Open it to renew or withdraw it.`,
  },

  bypass: {
    open: 'Apply anyway…',
    title: (stage: string, isApproved: boolean, isFrozen: boolean) =>
      `Apply to ${stage} ${[...(isApproved ? [] : ['without approval']), ...(isFrozen ? ['in a freeze'] : [])].join(' and ')}?`,
    text: 'Applications get the change with their next request.',
    reasonUse: 'Required. The page of the change and the audit log show it.',
    reasonMissing: 'Say why, so that the audit log shows it.',
    applied: (who: string, isApproved: boolean) =>
      `${who} applied it ${isApproved ? 'in a freeze' : 'without the required approvals'}`,
  },

  reschedule: {
    open: (isTimed: boolean) => (isTimed ? 'Reschedule…' : 'Schedule…'),
    title: 'Reschedule this change',
    text: 'Approvals that it has do not count any more.',
    rampText: 'The other steps move with the first one. Approvals that it has do not count any more.',
    empty: 'Empty: when someone applies it.',
    button: 'Reschedule',
    done: 'Rescheduled the change',
    noTime: 'Enter a time.',
  },

  reason: 'Reason',
  reasonUse: 'Required. Reviewers read it first.',
  reasonOptional: 'Optional.',
  reasonMissing: 'Say why, so that others can review it.',
  propose: (count: number, stage: string) =>
    count === 1 ? `Propose 1 change to ${stage}` : `Propose ${countText(count)} changes to ${stage}`,
  proposeHint: (stages: readonly string[], approvals: number) =>
    `${list.format(stages)} ${stages.length === 1 ? 'requires' : 'require'} ${approvals === 1 ? 'an approval' : `${countText(approvals)} approvals`}, so the change is proposed and others review it.`,
  proposed: (names: string, stages: readonly string[]) => `Proposed the change of ${names} in ${list.format(stages)}`,
  proposeFor: (stages: readonly string[]) => `Propose for ${list.format(stages)}`,
  proposeDeletion: (stages: readonly string[]) => `Propose deletion from ${list.format(stages)}`,
  proposeStop: (stages: readonly string[]) => `Propose to stop it in ${list.format(stages)}`,
  saveAndPropose: (save: string, stages: readonly string[]) => `${save}, propose for ${list.format(stages)}`,
  frozenStage: (stage: string, until: string) =>
    `${stage} is frozen until ${until}. Propose the change now; it can be applied then.`,
  showChange: 'Show the change',
  proposeCopy: (count: number, stage: string) =>
    `Propose ${count === 0 ? '' : count === 1 ? '1 variable ' : `${countText(count)} variables `}for ${stage}`,

  rules: {
    item: 'Approvals and freezes…',
    title: (stage: string) => `Approvals and freezes of ${stage}`,
    unprotected: (stage: string) =>
      `Only a protected stage has approvals and freezes, and ${stage} is not protected. Protect it first.`,
    text: 'A change of this stage is proposed first, and applied once this many others have approved it. Direct writes are refused, including from tokens.',
    approvals: 'Number of approvals',
    approvalsUse: '0: everyone who may write changes it directly.',
    approvalsMissing: 'Enter a number from 0 on.',
    self: 'People may approve their own changes',
    fewApprovers: (count: number) =>
      `${count === 0 ? 'No one may' : count === 1 ? 'Only 1 person may' : `Only ${countText(count)} people may`} approve here, so changes would wait. Grant the role releaser on this stage to more people.`,
    bypass: 'Can bypass approval',
    bypassUse: 'They give a reason, which the audit log keeps. It also works in a freeze.',
    noBypass: 'No one',
    stop: 'Who may stop a roll without approval',
    stopUse: 'Stopping gives everyone B. It also works in a freeze.',
    stopVerbs: {
      write: 'Everyone who may write',
      approve: 'Everyone who may approve',
      manage: 'Everyone who may manage',
    },
    freezes: 'Freezes',
    freezesUse: 'Times at which nothing changes. What is due then waits for the end.',
    freeze: (number: number) => `Freeze ${countText(number)}`,
    addFreeze: 'Add a freeze',
    removeFreeze: (number: number) => `Remove freeze ${countText(number)}`,
    frozenNow: (until: string) => `With this, the stage is frozen now, until ${until}.`,
    repeats: 'When',
    repeating: { weekly: 'Every week', once: 'Once' },
    from: 'From',
    fromTime: 'At',
    until: 'Until',
    untilTime: 'At',
    zone: 'Time zone',
    days: {
      mon: 'Monday',
      tue: 'Tuesday',
      wed: 'Wednesday',
      thu: 'Thursday',
      fri: 'Friday',
      sat: 'Saturday',
      sun: 'Sunday',
    },
    zoneProblem: 'Enter a name such as Europe/Berlin or UTC.',
    timeProblem: 'Enter when it begins.',
    endProblem: 'Enter an end that is after the start.',
    save: (stage: string) => `Save to ${stage}`,
    saved: (stage: string, approvals: number, freezes: number) =>
      `${stage} requires ${approvals === 0 ? 'no approval' : approvals === 1 ? '1 approval' : `${countText(approvals)} approvals`}${freezes === 0 ? '' : freezes === 1 ? ' and has 1 freeze' : ` and has ${countText(freezes)} freezes`}`,
  },
} as const
