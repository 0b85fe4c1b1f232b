/** Texts of proposed changes: the list, one of them, and the form that proposes. */
import type { ChangeState } from '@rollkey/contract/rules'
import { countText, percentText } from '../../lib/numbers.ts'

const list = new Intl.ListFormat('en', { type: 'conjunction' })

export const labels = {
  title: 'Changes',
  lead: 'Proposed changes of protected stages, and rollouts that climb by themselves.',
  list: 'Changes',
  shown: { open: 'Open', yours: 'Needs you', all: 'All' },
  none: { open: 'No open changes', yours: 'Nothing needs you', all: 'No changes yet' },
  noneText:
    'In a stage that requires approval, a change is proposed, reviewed by others, and applied then. Set that in the menu of the stage.',
  what: 'Change',
  stage: 'Stage',
  state: 'State',
  by: 'Proposed by',
  names: (names: readonly string[], count: number) =>
    count > names.length || count > 3 ? `${countText(count)} variables` : list.format(names),
  place: (project: string, stage: string) => `${project} / ${stage}`,
  needing: (count: number) => (count === 1 ? '1 change needs you' : `${countText(count)} changes need you`),

  needsYou: 'Needs your review',
  rejected: 'Changes requested',
  approvals: (given: number, required: number) => `${countText(given)} of ${countText(required)} approvals`,
  ready: 'Ready to apply',
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
    before === undefined ? percentText(after) : `${percentText(before)} → ${percentText(after)}`,
  separator: ' · ',
  same: 'Nothing changes any more',
  reveal: 'Reveal values',
  hide: 'Hide values',
  revealHint: 'Revealing is recorded in the audit log. Values are hidden again after 30 seconds.',
  changedAt: (revision: number) => `Changed since, in revision ${countText(revision)}`,
  conflictTitle: 'This change is out of date',
  conflictText: (names: readonly string[]) =>
    `${list.format(names)} ${names.length === 1 ? 'has' : 'have'} changed since it was proposed. Base it on the present state, which voids its approvals, or withdraw it.`,
  rebase: 'Base on the present state',
  rebased: 'Based on the present state; it needs approval again',

  review: 'Review',
  reviews: 'Reviews',
  noReviews: 'No reviews yet.',
  comment: 'Comment',
  commentUse: 'Others see it. It may be empty when you approve.',
  approve: 'Approve',
  requestChanges: 'Request changes',
  approved: (stage: string) => `Approved the change of ${stage}`,
  changesRequested: (stage: string) => `Requested changes for ${stage}`,
  verdicts: { approve: 'Approved', reject: 'Requested changes' },
  voided: 'Voided by an edit',
  uncounted: 'Does not count: this person may not approve here',
  noApproval: 'This stage requires no approval.',
  ownChange: 'You proposed it, so others review it.',

  apply: (stage: string) => `Apply to ${stage}`,
  applyTitle: (stage: string) => `Apply to ${stage} now?`,
  applied: (stage: string) => `Applied the change to ${stage}`,
  withdraw: 'Withdraw',
  withdrawTitle: 'Withdraw this change?',
  withdrawText: 'It is not applied any more, and its proposed values are deleted. It stays in the list.',
  withdrawn: 'Withdrew the change',
  frozen: (until: string) => `The stage is frozen until ${until}. The change is applied then at the earliest.`,
  problemTitle: 'It could not be applied',
  back: 'All changes',

  facts: {
    proposedBy: 'Proposed by',
    proposedAt: 'Proposed',
    dueAt: 'Applies',
    zone: 'Time zone',
    source: 'Copied from',
    appliedRevision: 'Revision',
    settledBy: 'Settled by',
  },

  ramp: 'Rollout',
  rampLead: (name: string) => `The chance of ${name} changes at these times.`,
  stepDone: 'Done',
  stepNext: 'Next',
  pause: 'Pause',
  paused: 'Paused the rollout',
  resume: 'Resume',
  resumed: 'Resumed the rollout',
  skip: 'Skip the next step',
  skipped: 'Skipped a step',
  abort: 'Abort…',
  abortTitle: 'Abort the rollout?',
  abortText: 'It takes no further steps, and the chance becomes this from the next request on:',
  abortChance: 'Chance of A',
  abortButton: 'Abort the rollout',
  aborted: (percent: string) => `Aborted the rollout: the chance is ${percent}`,

  reason: 'Reason',
  reasonUse: 'Reviewers read it first.',
  reasonMissing: 'Say why, so that others can review it.',
  propose: (count: number, stage: string) =>
    count === 1 ? `Propose 1 change to ${stage}` : `Propose ${countText(count)} changes to ${stage}`,
  proposeHint: (stages: readonly string[], approvals: number) =>
    `${list.format(stages)} ${stages.length === 1 ? 'requires' : 'require'} ${approvals === 1 ? 'an approval' : `${countText(approvals)} approvals`}, so the change is proposed and others review it.`,
  proposed: (stage: string) => `Proposed the change of ${stage}`,
  proposeCopy: (count: number, stage: string) =>
    count === 1 ? `Propose 1 variable for ${stage}` : `Propose ${countText(count)} variables for ${stage}`,

  rules: {
    item: 'Approvals…',
    title: (stage: string) => `Approvals of ${stage}`,
    text: 'A change of this stage is proposed first, and applied once this many others have approved it. Direct writes are refused, also those of machines.',
    approvals: 'Number of approvals',
    approvalsUse: '0: everyone who may write changes it directly.',
    self: 'Who proposed a change may approve it',
    save: 'Save',
    saved: (stage: string, approvals: number) =>
      approvals === 0
        ? `${stage} requires no approval`
        : `${stage} requires ${approvals === 1 ? '1 approval' : `${countText(approvals)} approvals`}`,
  },
} as const
