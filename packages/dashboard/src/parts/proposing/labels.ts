/** Texts of forms that propose a change in place of a write. */
import { countText } from '../../lib/numbers.ts'
import { list } from '../../lib/list.ts'

const anyOf = new Intl.ListFormat('en', { type: 'disjunction' })

export const labels = {
  reason: 'Reason',
  reasonUse: 'Required. Reviewers read it first.',
  reasonOptional: 'Optional.',
  reasonMissing: 'Say why, so that others can review it.',
  propose: (count: number, stage: string) =>
    count === 1 ? `Propose 1 change to ${stage}` : `Propose ${countText(count)} changes to ${stage}`,
  proposeHint: (stages: readonly string[], approvals: number) =>
    `${list.format(stages)} ${stages.length === 1 ? 'requires' : 'require'} ${approvals === 1 ? 'an approval' : `${countText(approvals)} approvals`}, so the change is proposed and others review it.`,
  proposeFor: (stages: readonly string[]) => `Propose for ${list.format(stages)}`,
  proposeDeletion: (stages: readonly string[]) => `Propose deletion from ${list.format(stages)}`,
  proposeStop: (stages: readonly string[]) => `Propose to stop it in ${list.format(stages)}`,
  saveAndPropose: (save: string, stages: readonly string[]) => `${save}, propose for ${list.format(stages)}`,
  shortage: {
    title: (stage: string) => `Too few people can approve this change of ${stage}`,
    required: (approvals: number, selfApproval: boolean, stage: string) =>
      `${stage} requires ${approvals === 1 ? '1 approval' : `${countText(approvals)} approvals`}${selfApproval ? '' : ' by others than the proposer'}.`,
    mend: (stage: string) =>
      `Give more people a role that approves, such as releaser, on ${stage}. Or lower the number of approvals in the menu of the stage.`,
    ask: (managers: readonly string[], stage: string) =>
      `Ask ${managers.length === 0 ? 'an owner or admin of the organization' : anyOf.format(managers)} to give more people a role that approves on ${stage}. Until then, the change waits.`,
    request: (place: string, link: string) =>
      `Too few people can approve a change of ${place}. Give someone a role that approves here: ${link}`,
    open: 'Open the access of the project',
  },
  frozenStage: (stage: string, until: string) =>
    `${stage} is frozen until ${until}. Propose the change now; it can be applied then.`,
  proposeCopy: (count: number, stage: string) =>
    `Propose ${count === 0 ? '' : count === 1 ? '1 variable ' : `${countText(count)} variables `}for ${stage}`,
} as const
