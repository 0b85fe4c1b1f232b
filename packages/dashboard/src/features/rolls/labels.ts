/** Texts of the pages about rolls. */
import { countText, shareText } from '../../lib/numbers.ts'
import type { ShareRange } from './served.ts'
import { percentText } from './chance.ts'
import type { Progress, SortKey, Verdict } from './roll-list.ts'

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

  shareServed: 'Served',
  expectedShare: 'Expected',

  roll: {
    none: 'Roll not found',
    noneText: (name: string, stage: string, project: string) =>
      `The stage ${stage} of ${project} has no A/B roll ${name}. It may have been deleted.`,
    seeRolls: 'See all rolls',
    stages: 'Stages',
    missing: 'missing',
    missingTitle: (name: string, stage: string) => `${name} is missing in ${stage}`,
    missingText: (stage: string) => `Applications that evaluate it in ${stage} get an error.`,
    takenTitle: (name: string, stage: string) => `${name} is not a roll in ${stage}`,
    takenText: 'Another kind of variable has this name there.',
    add: (stage: string) => `Add to ${stage}`,
    open: (name: string) => `Open ${name}`,
    chance: 'Chance',
    chanceHint:
      'Increase gradually: users already in A stay in A. Without a seed or key the result is random each time.',
    values: 'Values',
    allStages: 'All stages',
    use: 'Use it',
    useWhat: (name: string) => `Read ${name}`,
  },

  served: {
    title: 'Evaluations',
    span: 'Time',
    none: 'Nothing was evaluated in this time',
    noneText:
      'Evaluations of your applications appear here after a few seconds. This command evaluates the whole stage:',
    command: 'the command that evaluates the stage',
    misfit: 'The split doesn’t fit the chance',
    misfitText:
      'Each evaluation counts, and a user with a seed gets the same side every time: a few users who are evaluated often can cause this. Otherwise look for clients that send the same seed for everyone.',
    sharePlot: (span: string, by: string) => `Share of A over the last ${span}, by ${by}, with the expected range`,
    plot: (span: string, by: string) => `A and B served over the last ${span}, by ${by}`,
    changes: 'Changes of the chance',
    change: (from: number | undefined, to: number) =>
      from === undefined ? `Created with ${percentText(to)}` : `${percentText(from)} → ${percentText(to)}`,
    figures: { hour: 'By hour', day: 'By day' },
    table: { hour: 'A and B served by hour', day: 'A and B served by day' },
    start: { hour: 'Hour from', day: 'Day' },
    evaluations: 'Evaluations',
    expected: 'Expected',
    expectedText: 'Expected is where the share lies in 95 of 100 cases. It is unknown where the chance changed.',
    copy: 'Copy the table',
  },

  tryOut: {
    title: 'Try a user',
    lead: 'Computed on this page: nothing is sent, counted or billed.',
    seed: 'Seed',
    seedHint: 'Such as the id of a user',
    key: 'Key',
    keyHint: 'Such as the name of an experiment',
    noSeed: 'Everyone without a seed',
    random: 'Without a seed or key the result is random each time.',
    sideA: (chance: string) => `A: 0 to ${chance}`,
    sideB: (chance: string) => `B: ${chance} to 100 %`,
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
