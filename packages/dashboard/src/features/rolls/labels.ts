/** Texts of the pages about rolls. */
import { type Fit, misfitP } from '@rollkey/contract/rules'
import { countText, percentText, probabilityText, shareText, unbroken } from '../../lib/numbers.ts'
import type { ShareRange, SpanName } from './served.ts'
import type { Progress, SortKey, Verdict } from './roll-list.ts'

function rangeText({ low, high }: ShareRange): string {
  const [from, to] = [shareText(low, 1), shareText(high, 1)]
  return from === to ? from : `${from} to ${to}`
}

const spans: Readonly<Record<SpanName, string>> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
}

const units = { hour: 'by hour', day: 'by day' }

/** Above this probability, a split is what chance alone gives. */
const usualP = 0.05

function judgement(p: number | undefined, basis: string, expected: number): string {
  if (p === undefined) return 'That is not enough to check the split.'
  if (p >= usualP) return `${basis} that is what chance alone gives (p = ${probabilityText(p, 2)}).`
  const deviation = `${basis} ${countText(expected)} are expected; chance alone is this far off in`
  return p < misfitP
    ? `${deviation} fewer than 1 of ${countText(1_000)} cases (p < ${probabilityText(misfitP)}).`
    : `${deviation} ${cases(p)} (p = ${probabilityText(p)}). Look again when there are more.`
}

function cases(p: number): string {
  return p >= 0.01 ? `${countText(p * 100)} of 100 cases` : `${countText(p * 1_000)} of ${countText(1_000)} cases`
}

export const labels = {
  a: 'A',
  b: 'B',
  production: 'Production',
  chanceOfA: 'Chance of A',
  shareOfA: 'Share of A',
  aPercent: (chance: number) => `A ${percentText(chance)}`,
  nothingServed: 'Nothing yet',
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
    lead: 'Everything that is rolled out step by step. Share and fit count since the last change of the chance.',
    list: 'Rolls of all projects',
    columns: {
      name: 'Name',
      place: 'Stage',
      chance: 'Chance of A',
      share: 'Share served',
      fit: 'Fit',
      since: 'Unchanged for',
      served: 'Served, 30 days',
    } satisfies Record<SortKey, string>,
    actions: 'Actions',
    actionsOf: (name: string, stage: string) => `Actions of ${name} in ${stage}`,
    open: 'Open',
    changeChance: 'Change chance',
    filterText: 'Filter by name',
    project: 'Project',
    stage: 'Stage',
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
    gone: 'This roll no longer exists. Close this to see the current list.',
  },

  chanceSentences: {
    none: 'Everyone gets B.',
    all: 'Everyone gets A.',
    nearlyAll: 'Nearly everyone gets A.',
    few: (of: number, who: 'users' | 'evaluations') => `Fewer than 1 of ${countText(of)} ${who} get A.`,
    some: (share: number, of: number, who: 'users' | 'evaluations', isExact: boolean) =>
      `${isExact ? '' : 'About '}${countText(share)} of ${countText(of)} ${who} get A.`,
    staysA: 'Users already in A stay in A.',
    staysB: 'Users already in B stay in B.',
    unchanged: 'Nothing changes.',
  },

  fit: {
    title: 'Fit',
    lead: (chance: number) => `Since the chance became ${unbroken(percentText(chance))}`,
    leadEnd: 'Hours with another chance are left out.',
    sentence: ({ a, tested, expected, p }: Fit, chance: number) => {
      const observation = `Of ${countText(tested)} served, ${countText(a)} ${a === 1 ? 'was' : 'were'} A (${shareText(a, tested)}).`
      return `${observation} ${judgement(p, `At ${unbroken(percentText(chance))},`, expected)}`
    },
    misfit: 'The split doesn’t fit the chance',
    misfitText:
      'Each value served counts, and a user with a seed gets the same side every time: a few users who are served often can cause this. Otherwise look for clients that send the same seed for everyone.',
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
    allStagesLead: 'The chance, and the fit since its last change.',
    use: 'Use it',
    useWhat: (name: string) => `Read ${name}`,
  },

  served: {
    title: 'Served',
    lead: 'How often a value was given to an app. A batch or a pull can give many.',
    span: 'Time',
    spans,
    none: 'Nothing was served in this time',
    noneText: 'What your apps evaluate appears here after a few seconds. This command evaluates the whole stage:',
    command: 'the command that evaluates the stage',
    sharePlot: (span: SpanName, by: 'hour' | 'day') =>
      `Share of A over the last ${spans[span]}, ${units[by]}, with the expected range`,
    plot: (span: SpanName, by: 'hour' | 'day') => `A and B served over the last ${spans[span]}, ${units[by]}`,
    changes: 'Changes of the chance',
    change: (from: number | undefined, to: number) =>
      from === undefined ? `Created with ${percentText(to)}` : `${percentText(from)} → ${percentText(to)}`,
    figures: { hour: 'By hour', day: 'By day' },
    table: { hour: 'A and B served by hour', day: 'A and B served by day' },
    start: { hour: (zone: string) => `Hour from (${zone})`, day: () => 'Day' },
    count: 'Served',
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
    randomResult: (chance: string) => `Without a seed or key the result is random each time. ${chance}`,
    getsA: (who: string, bucket: string, chance: number) =>
      `${who} gets A (bucket ${bucket}, below ${percentText(chance)}).`,
    getsB: (who: string, bucket: string, chance: number, isAbove: boolean) =>
      `${who} gets B (bucket ${bucket}, ${isAbove ? 'above' : 'not below'} ${percentText(chance)}).`,
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
