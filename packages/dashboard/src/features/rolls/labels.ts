/** The words of the pages about rolls. */
import { countText, shareText } from '../../lib/numbers.ts'
import type { ShareRange } from './expected.ts'
import { percentText } from './chance.ts'
import type { Progress, SortKey, Verdict } from './rolls-search.ts'

function rangeText({ low, high }: ShareRange): string {
  const [from, to] = [shareText(low, 1), shareText(high, 1)]
  return from === to ? from : `${from} to ${to}`
}

export const labels = {
  a: 'A',
  b: 'B',
  production: 'Production',
  chanceOfA: 'Chance of A',
  shareOfA: 'Share of A',
  nothingServed: 'Not evaluated',
  range: rangeText,
  expected: (range: ShareRange) => `expected ${rangeText(range)}`,
  share: (share: number, range: ShareRange | undefined) =>
    `Share of A: ${shareText(share, 1)}${range ? `, expected ${rangeText(range)}` : ''}`,
  verdicts: {
    fits: 'Fits',
    differs: 'Doesn’t fit',
    unknown: 'Not enough data',
  } satisfies Record<Verdict, string>,

  rolls: {
    title: 'Rolls',
    lead: 'Everything that is rolled out step by step, in all projects and stages.',
    list: 'Rolls of all projects',
    columns: {
      name: 'Name',
      project: 'Project',
      stage: 'Stage',
      chance: 'Chance of A',
      share: 'Share served',
      fit: 'Fit',
      since: 'Unchanged for',
      served: 'Last 30 days',
    } satisfies Record<SortKey, string>,
    actions: 'Actions',
    actionsOf: (name: string, stage: string) => `Actions of ${name} in ${stage}`,
    open: 'Open',
    changeChance: 'Change chance',
    filterText: 'Filter by name',
    progress: 'Progress',
    progresses: {
      partial: 'In progress',
      a: 'Everyone gets A',
      b: 'Everyone gets B',
    } satisfies Record<Progress, string>,
    productionOnly: 'Production only',
    count: (shown: number, all: number) =>
      shown === all ? `${countText(all)} ${all === 1 ? 'roll' : 'rolls'}` : `${countText(shown)} of ${countText(all)}`,
    showAll: (count: number) => `Show all ${countText(count)}`,
    none: 'No rolls yet',
    noneText:
      'An A/B roll has two values and a chance: a share of your users gets A, everyone else B. Raise the chance step by step, and stop at any time.',
    noneAction: 'See the projects',
    noneCommand: 'the command that creates a roll',
    noMatch: 'No rolls match',
    noMatchText: 'Clear a filter to see more.',
    clearFilters: 'Clear filters',
    gone: 'This roll is no longer there. Close this, and the list shows those that are.',
  },

  stop: 'Stop',
  stopOf: (name: string, stage: string) => `Stop ${name} in ${stage}`,
  stopTitle: (name: string, stage: string) => `Stop ${name} in ${stage}?`,
  stopText: (chance: number) =>
    `Everyone gets B from the next request on. Now ${chance === 1 ? 'everyone gets' : `${percentText(chance)} get`} A.`,
  stopProduction: 'This is a production stage.',
  stopButton: 'Stop roll',
  stopped: (name: string, stage: string) => `Stopped ${name} in ${stage}: everyone gets B`,
}
