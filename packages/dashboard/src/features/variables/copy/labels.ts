/** Texts of the form that copies variables between stages. */
import { list } from '../../../lib/list.ts'
import { limits } from '@rollkey/contract/rules'
import { countText } from '../../../lib/numbers.ts'

function variables(count: number): string {
  return count === 1 ? '1 variable' : `${countText(count)} variables`
}

function namesText([name = '', ...others]: readonly string[]): string {
  return others.length === 0 ? name : variables(others.length + 1)
}

export const labels = {
  notRead: 'The stages are still loading: try again in a moment.',
  title: 'Copy to stage',
  cancel: 'Cancel',
  from: 'From',
  to: 'To',
  differences: 'Differences',
  all: (count: number, hasProposed: boolean) =>
    hasProposed ? `All others, ${countText(count)}` : `All ${countText(count)}`,
  first: (count: number, all: number) => `The first ${countText(count)} of ${countText(all)}`,
  new: 'New',
  different: 'Different',
  proposed: 'Proposed',
  waiting: (count: number, stage: string) =>
    `${variables(count)} ${count === 1 ? 'waits' : 'wait'} in open changes of ${stage}, so ${count === 1 ? 'it is' : 'they are'} not chosen at first.`,
  changes: 'changes',
  separator: ' · ',
  same: (count: number, stage: string) =>
    count === 1 ? `1 variable is the same in ${stage}.` : `${countText(count)} variables are the same in ${stage}.`,
  noDifferences: (from: string, to: string) => `${to} has everything that is in ${from}, with the same values.`,
  choose: 'Choose what to copy.',
  effect: (created: number, replaced: number, stage: string) =>
    `${list.format([
      ...(created > 0 ? [`${countText(created)} will be added`] : []),
      ...(replaced > 0 ? [`${countText(replaced)} will be replaced`] : []),
    ])} in ${stage}.`,
  rest: (names: readonly string[]) =>
    names.length === 1 ? `${names[0]} stays as it is.` : `${list.format(names)} stay as they are.`,
  restCount: (count: number) => `${countText(count)} of the selected are unchanged`,
  tooMany: `At most ${countText(limits.entries)} variables are copied at once. Choose fewer.`,
  copy: (count: number, stage: string) => (count === 0 ? `Copy to ${stage}` : `Copy ${variables(count)} to ${stage}`),
  promote: (from: string, to: string) => `Promote ${from} → ${to}`,
  promoteButton: (count: number, stage: string) =>
    count === 0 ? `Promote to ${stage}` : `Promote ${variables(count)} to ${stage}`,
  onlyIn: (count: number, stage: string) => `Only in ${stage}: ${countText(count)} (kept)`,
  equal: (count: number) => `Equal: ${variables(count)}`,
  copied: (names: readonly string[], stage: string) => `Copied ${namesText(names)} to ${stage}`,
  promoted: (names: readonly string[], stage: string) => `Promoted ${namesText(names)} to ${stage}`,
}
