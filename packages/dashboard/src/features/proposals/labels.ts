/** Texts of proposed changes: the list, one of them, and the form that proposes. */
import { countText, shareText } from '../../lib/numbers.ts'
import { list } from '../../lib/list.ts'

export const labels = {
  title: 'Changes',
  lead: 'Proposed changes of protected stages, and rollouts that climb by themselves.',
  list: 'Changes',
  shown: { open: 'Open', yours: 'Needs you', all: 'All' },
  none: { open: 'No open changes', yours: 'Nothing needs you', all: 'No changes yet' },
  noneText:
    'If a stage requires approval, others review each change before it applies. Set that in the menu of the stage.',
  openProject: (project: string) => `Open ${project}`,
  what: 'Change',
  stage: 'Stage',
  state: 'State',
  by: 'Proposed by',
  place: (project: string, stage: string) => `${project} / ${stage}`,
  stageHistory: 'History of the stage',

  items: 'What it changes',
  actions: { create: 'New', update: 'Changed', delete: 'Deleted', chance: 'Chance' },
  separator: ' · ',
  when: { before: 'Before', after: 'After' },
  /** In place of the value of a side. */
  secretSide: 'secret',
  afterwards: (sentence: string) => `Afterwards: ${sentence}`,
  same: 'This change is closed',
  reveal: 'Reveal values',
  hide: 'Hide values',
  revealHint: 'Revealing is recorded in the audit log. Values are hidden again after 30 seconds.',
  notLooked: (names: string) => `You have not looked at the value of ${names}.`,
  changedAt: (revision: number) => `Changed since, in revision ${countText(revision)}`,
  conflictTitle: 'This change is out of date',
  conflictText: (names: readonly string[], isYours: boolean, needsApproval: boolean) =>
    `It cannot be applied, because ${list.format(names)} ${names.length === 1 ? 'has' : 'have'} changed since. ${
      isYours
        ? `Base it on the present state${needsApproval ? ' (this voids its approvals)' : ''}, or withdraw it.`
        : 'The proposer can base it on the present state. Or withdraw it and propose another.'
    }`,
  rebase: {
    open: 'Base on the present state',
    title: (stage: string) => `Base this change on the present state of ${stage}?`,
    button: (stage: string) => `Base on the present state of ${stage}`,
    approval: 'The change needs approval again.',
    moves: (name: string, from: string, to: string) =>
      `This also sets the chance of ${name} from ${from} back to ${to}, as when the change was proposed.`,
    next: (names: string, when: string, exactly: string) => `The service then changes ${names} ${when} (${exactly}).`,
    done: (stage: string, needsApproval: boolean) =>
      `Based on the present state of ${stage}${needsApproval ? '; it needs approval again' : ''}`,
  },

  yourReview: 'Your review',
  yourReviewKey: 'Review the change',
  /** Leads to the form. */
  review: 'Review',
  reviews: 'Reviews',
  comment: 'Comment',
  commentUse: 'If you request changes, say which. Everyone who can see the change can read this.',
  takeBack: 'You approved this change. To take that back, request changes.',
  approve: 'Approve',
  approveAndApplyOpen: 'Approve and apply…',
  approveAndApply: 'Approve and apply',
  requestChanges: 'Request changes',
  commentMissing: 'Say what to change.',
  approved: (names: string, stage: string) => `Approved the change of ${names} in ${stage}`,
  approvedAndApplied: (names: string, stage: string) => `Approved the change of ${names} and applied it to ${stage}`,
  notAppliedTitle: 'You approved the change, but it was not applied',
  changesRequested: (names: string, stage: string) => `Requested changes to the change of ${names} in ${stage}`,
  verdicts: { approve: 'Approved', reject: 'Requested changes' },
  voided: 'Voided by an edit',
  uncounted: 'Does not count: this person may not approve here',
  noApproval: 'This stage requires no approval.',
  ownChange: 'You proposed it, so others review it.',
  ownRejected:
    'You proposed this change. Edit values or leave variables out, and others review it again. Or withdraw it.',

  edit: {
    value: 'Another value…',
    valueOf: (name: string) => `Another value of ${name}`,
    valueTitle: (name: string) => `Propose another value of ${name}`,
    newValue: 'New value',
    save: 'Propose this value',
    changed: (name: string) => `The change has another value of ${name}`,
    leaveOut: 'Leave out',
    leaveOutOf: (name: string) => `Leave ${name} out`,
    leaveOutTitle: (name: string) => `Leave ${name} out of this change?`,
    leaveOutText: 'The proposal for this variable is deleted. Earlier reviews no longer count.',
    leftOut: (name: string) => `The change leaves ${name} as it is`,
    voids: 'Earlier reviews no longer count.',
  },

  apply: (stage: string) => `Apply to ${stage}`,
  applyTitle: (names: string, stage: string) => `Apply the change of ${names} to ${stage} now?`,
  applied: (names: string, stage: string) => `Applied the change of ${names} to ${stage}`,
  undo: 'Undo this change…',
  withdraw: 'Withdraw',
  withdrawFor: (proposer: string) => `Withdraw for ${proposer}`,
  withdrawHint: 'Ends the change for good. To keep it open, request changes instead.',
  /** `proposer`: who else proposed it. */
  withdrawTitle: (proposer: string | undefined) =>
    proposer === undefined ? 'Withdraw this change?' : `Withdraw the change that ${proposer} proposed?`,
  withdrawText: 'The change is not applied and its proposed values are deleted. It stays in the list.',
  frozen: (until: string) => `The stage is frozen until ${until}. The change can be applied after that.`,
  problemTitle: 'The change could not be applied',
  pausedTitle: 'Why it is paused',
  back: 'All changes',
  unknown: 'Change not found',
  unknownText: 'The address is incomplete, or its stage has no such change. Look for the change in the list.',
  seeAll: 'See all changes',

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

  ramp: {
    title: 'Rollout',
    lead: (name: string) => `The chance of ${name} changes at these times.`,
    done: (name: string) => `The chance of ${name} changed at these times.`,
    planned: (name: string) => `The chance of ${name} was to change at these times.`,
    paused: (name: string) =>
      `The rollout is paused: the chance of ${name} stays as it is until someone resumes the rollout. Late steps then move by whole days.`,
    aborted: (name: string, percent: string) =>
      `The rollout was aborted. This set the chance of ${name} to ${percent}.`,
  },
  rotation: {
    title: 'Rotation',
    lead: (name: string) => `The new value of ${name} replaces the old one for more and more requests, at these times.`,
    done: (name: string) => `The new value of ${name} replaced the old one at these times.`,
    planned: (name: string) => `The new value of ${name} was to replace the old one at these times.`,
    paused: (name: string) =>
      `The rotation is paused: both values of ${name} stay in use until someone resumes or ends the rotation. Late steps then move by whole days.`,
    aborted: (name: string) => `Someone ended the rotation of ${name} before its last step, with one of the values.`,
  },
  stepDone: 'Done',
  stepNext: 'Next',
  stepNotTaken: 'Not taken',
  stepPaused: 'Paused, planned for',
  served: (a: number, all: number) => `Served A ${countText(a)} of ${countText(all)} times (${shareText(a, all)})`,
  nothingServed: 'Nothing counted yet',
  servedUse: 'By chance alone, in the whole hours of this step',
  abort: 'Abort…',
  abortTitle: 'Abort the rollout?',
  abortText: 'No further steps run. The chance changes now to:',
  abortChance: 'Chance of A',
  abortButton: 'Abort the rollout',
  aborted: (percent: string) => `Aborted the rollout: the chance is ${percent}`,

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
    text: 'Earlier approvals no longer count.',
    rampText: 'The other steps move with the first one. Earlier approvals no longer count.',
    empty: 'Empty: when someone applies it.',
    button: 'Reschedule',
    done: 'Rescheduled the change',
    noTime: 'Enter a time.',
  },
} as const
