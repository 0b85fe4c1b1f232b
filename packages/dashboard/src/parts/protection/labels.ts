/** Texts of the protection of a stage: who may do what there, approvals and freezes. */
import { list } from '../../lib/list.ts'
import { countText } from '../../lib/numbers.ts'

export const labels = {
  rules: {
    item: 'Approvals and freezes…',
    title: (stage: string) => `Approvals and freezes of ${stage}`,
    text: 'Changes of this stage are proposed first, and need this many approvals by others. Direct writes are refused, also from tokens.',
    approvals: 'Number of approvals',
    approvalsUse: '0: a change applies at once, without a review.',
    approvalsMissing: 'Enter a number from 0 on.',
    self: 'People may approve their own changes',
    approvers: (names: readonly string[]) => `May approve here: ${list.format(names)}.`,
    reported: (group: string, idpGroup: string) =>
      `The identity provider decides who is in ${group}: it is everyone in its group ${idpGroup}.`,
    fewApprovers: (count: number, needed: number) =>
      `${count === 0 ? 'No one may' : count === 1 ? 'Only 1 person may' : `Only ${countText(count)} people may`} approve here, so ${count < needed ? 'every change' : 'each change by them'} would wait. Give more people a role that approves, such as releaser, on this stage.`,
    onlyYou:
      'Only you may approve here, but not your own changes: they would wait. Give someone else a role that approves, such as releaser, on this stage.',
    letApprove: (who: string) => `Let ${who} approve`,
    letYou: 'Let me approve',
    letAll: (count: number) => (count === 2 ? 'Let both approve' : `Let all ${countText(count)} approve`),
    openAccess: 'Open the access of the project',
    bypass: 'Can bypass approval',
    bypassUse: 'Needs a reason, which the audit log keeps. Also works in a freeze.',
    more: 'Exceptions and freezes',
    noBypass: 'No one',
    stop: 'Who may stop a roll without approval',
    stopUse: 'Stopping gives everyone B. It also works in a freeze.',
    stopVerbs: {
      write: 'Everyone who may write',
      approve: 'Everyone who may approve',
      manage: 'Everyone who may manage',
    },
    freezes: 'Freezes',
    freezesUse: 'Nothing changes during a freeze. Changes due then wait until it ends.',
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
    saveAnyway: 'Save anyway',
    savedInVain: (saved: string) =>
      `${saved}, but too few people may approve yet. Give more people a role that approves, under Access.`,
    saved: (stage: string, approvals: number, freezes: number) =>
      `${stage} requires ${approvals === 0 ? 'no approval' : approvals === 1 ? '1 approval' : `${countText(approvals)} approvals`}${freezes === 0 ? '' : freezes === 1 ? ' and has 1 freeze' : ` and has ${countText(freezes)} freezes`}`,
  },
  protection: {
    title: (stage: string) => `Protect ${stage}`,
    text: (stage: string) =>
      `Only people added to ${stage} keep access to its values. To read them, they confirm their identity, once for 15 minutes. Apps with a service token for ${stage} are not asked.`,
    keeps: 'Who keeps access',
    losingNone: 'No one loses anything.',
    losersSee: 'Everyone else still sees the names and when values change, but no values.',
    you: 'You',
    roleOf: (who: string, stage: string) => `${who}, role on ${stage}`,
    noRole: 'No role',
    add: 'Add someone…',
    everyMember: 'Every other member',
    loses: (verbs: string) => `Loses ${verbs}`,
    submit: (stage: string) => `Protect ${stage}`,
    submitAnyway: 'Protect anyway',
    done: (stage: string) => `${stage} is protected`,
    doneInVain: (stage: string) =>
      `${stage} is protected, but too few people may approve its changes yet. Give more people a role that approves, under Access.`,
    endTitle: (stage: string) => `End the protection of ${stage}?`,
    endText: (stage: string) =>
      `Everyone with a role in the project or the organization has access to ${stage} again. They read its values without confirming their identity.`,
    endSubmit: 'End protection',
    ended: (stage: string) => `${stage} is not protected anymore`,
  },
  protect: (stage: string) => `Protect ${stage}…`,
  unprotect: 'End protection…',
} as const
