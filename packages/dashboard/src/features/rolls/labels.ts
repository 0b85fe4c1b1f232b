/** Texts of the pages about rolls. */
import {
  type DecidingStep,
  limits,
  misfitP,
  type Operator,
  type PinCounts,
  type TargetingRule,
} from '@rollkey/contract/rules'
import { countText, percentText, probabilityText, shareText, unbroken } from '../../lib/numbers.ts'
import type { JudgedFit } from '../../data/rolls/fit.ts'
import type { ShareRange, SpanName } from '../../data/rolls/served.ts'
import type { Progress, SortKey } from './rolls-search.ts'
import { type Sides, labels as rollLabels, nameOf, sideText, targetsText, noPins } from '../../data/rolls/labels.ts'

function rangeText({ low, high }: ShareRange): string {
  const [from, to] = [shareText(low, 1), shareText(high, 1)]
  return from === to ? from : `${from} to ${to}`
}

const valueOf = (side: 'a' | 'b', sides: Sides | undefined): string =>
  sides?.[side] === undefined ? `value ${side.toUpperCase()}` : `value ${side.toUpperCase()} (${sides[side]})`

const spans: Readonly<Record<SpanName, string>> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
}

const units = { hour: 'by hour', day: 'by day' }

function judgement({ verdict, expected }: JudgedFit, chance: number): string {
  // The verdict beside the sentence says that they are too few.
  if (verdict === 'unknown') return ''
  const comparison = `${unbroken(percentText(chance))} would be ${countText(expected)}.`
  return verdict === 'unusual' ? `${comparison} That may be a coincidence: look again when there are more.` : comparison
}

function cases(p: number): string {
  if (p < misfitP) return `in fewer than 1 of ${countText(1_000)} rolls (p < ${probabilityText(misfitP)})`
  return p >= 0.01
    ? `in ${countText(p * 100)} of 100 rolls (p = ${probabilityText(p, 2)})`
    : `in ${countText(p * 1_000)} of ${countText(1_000)} rolls (p = ${probabilityText(p)})`
}

const operatorNames: Readonly<Record<Operator, string>> = {
  in: 'in',
  notIn: 'not in',
  equals: 'equals',
  startsWith: 'starts with',
  endsWith: 'ends with',
  greaterThan: 'greater than',
  lessThan: 'less than',
  semver: 'version in',
  before: 'before',
  after: 'after',
}

const examples = {
  startsWith: 'beta-',
  endsWith: '@example.com',
  greaterThan: '18',
  lessThan: '65',
  semver: '>=1.2.0 <2.0.0',
  before: '2027-01-31',
  after: '2027-01-31',
}

/** One value and several, by their type. */
const typedExamples = {
  text: ['pro', 'pro, team'],
  number: ['7', '7, 12'],
  boolean: ['true', 'true'],
  mixed: ['"pro"', '"pro", 7, true'],
} as const

const seedsText = (count: number): string => `${countText(count)} ${count === 1 ? 'seed' : 'seeds'}`
export const labels = {
  done: {
    badge: 'Done',
    title: (side: 'a' | 'b', days: number) => `Everyone has got ${side.toUpperCase()} for ${days} days, in every stage`,
    text: (side: 'a' | 'b', sides: Sides | undefined, name: string) =>
      `This roll is done. Use ${valueOf(side, sides)} in the code in place of ${name}, release that, then delete ${name}.`,
  },
  chanceOfA: 'Chance of A',
  shareOfA: 'Share of A',
  side: sideText,
  name: nameOf,
  /** Says how many get A, or that everyone gets the same; the side follows. */
  splitStart: (chance: number, all: 'a' | 'b' | undefined) =>
    all === undefined ? `${unbroken(percentText(chance))} get` : 'Everyone gets',
  /** A chance in few words. `all`: the side that everyone gets. */
  split: (chance: number, all: 'a' | 'b' | undefined) =>
    all === undefined ? `A ${unbroken(percentText(chance))}` : `All ${all.toUpperCase()}`,
  /** What decides before the chance, such as "after 3 pins and 1 rule"; empty if nothing does. */
  after: (pinned: PinCounts = noPins, ruleCount = 0) => {
    const targets = targetsText(pinned, ruleCount)
    return targets === '' ? '' : `after ${targets}`
  },
  nothingServed: 'Nothing yet',
  range: rangeText,
  expected: (range: ShareRange) => `expected ${rangeText(range)}`,
  share: (share: number, range: ShareRange | undefined) =>
    `Share of A since the chance last changed: ${shareText(share, 1)}${range ? `, expected ${rangeText(range)}` : ''}`,

  rolls: {
    title: 'Rolls',
    lead: `A roll gives some users A, the others B. ${rollLabels.servedDefinition}`,
    list: 'Rolls of all projects',
    columns: {
      name: 'Name',
      place: 'Stage',
      chance: 'Chance',
      fit: 'Served A',
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
    progresses: {
      partial: 'Some get A',
      a: 'Everyone gets A',
      b: 'Everyone gets B',
      done: `Done: everyone the same for ${limits.staleDays} days`,
    } satisfies Record<Progress, string>,
    productionOnly: 'Production only',
    count: (shown: number, all: number) =>
      shown === all ? `${countText(all)} ${all === 1 ? 'roll' : 'rolls'}` : `${countText(shown)} of ${countText(all)}`,
    create: 'New roll',
    createIn: 'In which project?',
    needLookFirst: 'those that need a look first',
    showAll: (count: number) => `Show all ${countText(count)}`,
    none: 'No rolls yet',
    noneText:
      'An A/B roll has two values and a chance: a share of your users gets A, everyone else B. Raise the chance step by step, and stop at any time.',
    noneAction: 'See the projects',
    noneCommand: 'the command that creates a roll',
    planned: (when: string) => `Next change ${when}`,
    proposed: 'Change proposed',
    noMatch: 'No rolls match',
    noMatchText: 'Clear a filter to see more.',
    clearFilters: 'Clear filters',
    gone: 'This roll no longer exists. Close this to see the current list.',
  },

  fit: {
    title: 'Served as expected?',
    lead: (chance: number) => `Since the chance became ${unbroken(percentText(chance))}`,
    sentence: (fit: JudgedFit, chance: number, sides?: Sides) => {
      const times = `${countText(fit.a)} of ${countText(fit.tested)} times (${shareText(fit.a, fit.tested)})`
      return `Since then, ${sideText('a', sides)} was served ${times}. ${judgement(fit, chance)}`.trimEnd()
    },
    nothing: 'No evaluations by chance since then.',
    startsOver: 'Changing the chance restarts this comparison.',
    details: 'How this is compared',
    detailsText: (p: number) =>
      `If nothing is wrong, a difference this large comes up ${cases(p)}. Below 1 of ${countText(1_000)}, the share doesn’t fit the chance. Each value served counts as a different user. Hours with another chance are left out.`,
    misfitText:
      'A few users who are served often can cause this, because a seed always gets the same side. If not, look for apps that send the same seed for everyone.',
  },

  shareServed: 'Served',
  expectedShare: 'Expected',

  roll: {
    none: 'Roll not found',
    noneText: (name: string, stage: string, project: string) =>
      `The stage ${stage} of ${project} has no A/B roll ${name}. It may have been deleted.`,
    seeRolls: 'See all rolls',
    stages: 'Stages',
    keys: { previousStage: 'Previous stage', nextStage: 'Next stage' },
    missing: 'Missing',
    missingTitle: (name: string, stage: string) => `${name} is missing in ${stage}`,
    missingText: (stage: string) => `Applications that evaluate it in ${stage} get an error.`,
    takenTitle: (name: string, stage: string) => `${name} is not a roll in ${stage}`,
    takenText: 'Another kind of variable has this name there.',
    add: (stage: string) => `Add to ${stage}`,
    open: (name: string) => `Open ${name}`,
    openVariable: 'Open variable',
    chance: 'Chance',
    chanceHint:
      'Raise it gradually: users in A stay in A. Without a seed and a key, the result is random each time. With a key alone, everyone gets the same side.',
    values: 'Values',
    use: 'Use it',
    useWhat: (name: string) => `Read ${name}`,
  },

  served: {
    title: 'Served',
    span: 'Time',
    spans,
    none: (span: SpanName) => `Nothing was served in the last ${spans[span]}`,
    outcome: 'Which side does better?',
    outcomeLink: 'Send the side to your analytics.',
    noneText: 'Evaluations by your apps appear here within seconds. This command evaluates the whole stage:',
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
    reported: 'Decided in apps',
    byPins: 'By pins',
    byRules: 'By rules',
    byChance: 'By the chance',
    shareOfA: 'Share of A',
    shareOfAByChance: 'Share of A by the chance',
    expected: 'Expected share',
    tooFew: 'too few',
    /** A share outside the expected range. */
    outside: { below: (share: string) => `${share}, low`, above: (share: string) => `${share}, high` },
    expectedText:
      'By chance alone, 95% of shares are in the expected range. Hours in which the chance changed have no range.',
    copy: 'Copy the table',
  },

  tryOut: {
    title: 'Try a user',
    lead: 'The service says which step decides. This does not count as an evaluation.',
    seed: 'Seed',
    seedHint: 'Such as the id of a user',
    key: 'Key',
    keyHint: 'Such as the name of an experiment',
    noKey: 'No key',
    context: 'Context',
    contextHint: 'Attributes for the rules, as JSON',
    contextExample: '{"plan": "pro"}',
    badContext: 'This is not a JSON object, such as {"plan": "pro"}. Check its quotes, commas and brackets.',
    explain: 'Explain',
    noSeed: 'Everyone without a seed',
    gets: (who: string, side: string) => `${who} gets ${side}.`,
    random: (chance: string) => `Without a seed and a key the result is random each time. ${chance}`,
    sideA: (chance: string) => `A: 0 to ${chance}`,
    sideB: (chance: string) => `B: ${chance} to 100%`,
    pin: 'A pin of this seed decides.',
    chance: (bucket: string) => (bucket === '' ? 'Decided by chance.' : `Decided by chance: ${bucket}.`),
    bucket: (unit: number, chance: number) =>
      `bucket ${percentText(Math.floor(unit * 10_000) / 10_000)}, ${unit < chance ? 'below' : 'not below'} ${percentText(chance)}`,
    rule: (rule: string, bucket: string) => `Decided by ${rule}${bucket === '' ? '' : `, ${bucket}`}.`,
  },

  deciding: {
    title: 'Who gets what',
    lead: 'The first step that applies decides.',
    steps: 'Steps of the decision',
    pins: 'Pins',
    noPins: 'No seed is pinned',
    pinned: ({ a, b }: PinCounts, sides: Sides | undefined) =>
      (['a', 'b'] as const)
        .filter((side) => ({ a, b })[side] > 0)
        .map((side) => `${seedsText({ a, b }[side])} → ${nameOf(side, sides)}`)
        .join(', '),
    rule: (number: number) => `Rule ${countText(number)}`,
    rules: 'Rules',
    noRules: 'No targeting rule',
    others: 'All others',
    editPins: 'Edit pins',
    showPins: 'Show pins',
    editRules: 'Edit rules',
    editLabels: 'Rename A and B',
  },

  outcome: (then: TargetingRule['then'], sides: Sides | undefined) => {
    if (typeof then !== 'number') return nameOf(then, sides)
    if (then === 0 || then === 1) return nameOf(then === 0 ? 'b' : 'a', sides)
    return `${nameOf('a', sides)} for ${unbroken(percentText(then))}`
  },
  ruleText: (number: number, conditions: string, outcome: string) =>
    `rule ${countText(number)}: ${conditions} → ${outcome}`,

  save: (stage: string) => `Save to ${stage}`,
  cancel: 'Cancel',
  close: 'Close',

  pins: {
    title: (name: string) => `Pins of ${name}`,
    lead: 'A pinned seed always gets its side: rules and chance don’t apply. Seeds are personal data: they are stored encrypted, and the audit log records each look at them.',
    side: (side: string) => `Seeds that get ${side}`,
    hint: (count: number) => `One per line. ${countText(count)} of ${countText(limits.pinnedSeeds)}.`,
    tooMany: (count: number) =>
      `These are ${countText(count)} seeds (at most ${countText(limits.pinnedSeeds)}). Remove some, or use a rule.`,
    twice: (lines: readonly number[]) => `Line ${lines.join(' repeats line ')}. Remove one of them.`,
    onBothSides: (line: number, other: string) =>
      `Line ${line} is among the seeds that get ${other}, too. Remove one of them.`,
    tooLong: (line: number) => `Line ${line} is not a seed (1 to ${countText(limits.seedBytes)} bytes). Correct it.`,
    badQuotes: 'A quoted seed is not complete. End it with ", or remove its quotes.',
    saved: (name: string, stage: string) => `Saved the pins of ${name} in ${stage}`,
  },

  rules: {
    title: (name: string) => `Rules of ${name}`,
    lead: 'The first rule that matches a user decides. A condition never matches a user without its attribute.',
    rule: (number: number) => `Rule ${countText(number)}`,
    fields: { attribute: 'Attribute', operator: 'Operator', type: 'Compared as', values: 'Values' },
    attribute: (rule: number) => `Attribute, rule ${countText(rule)}`,
    attributeExample: 'plan',
    operator: (rule: number) => `Operator, rule ${countText(rule)}`,
    type: (rule: number) => `Compared as, rule ${countText(rule)}`,
    values: (rule: number) => `Values, rule ${countText(rule)}`,
    example: (operator: Operator, type: 'text' | 'number' | 'boolean' | 'mixed') =>
      operator === 'in' || operator === 'notIn' || operator === 'equals'
        ? typedExamples[type][operator === 'equals' ? 0 : 1]
        : examples[operator],
    listHint: 'Separate values with commas. Put a value with a comma into double quotes.',
    operators: operatorNames,
    types: { text: 'text', number: 'number', boolean: 'true or false', mixed: 'JSON values' },
    condition: (attribute: string, operator: Operator, values: readonly string[]) =>
      `${attribute} ${operatorNames[operator]} ${values.join(', ')}`,
    and: ' and ',
    addConditionShort: 'Add condition',
    addCondition: (rule: number) => `Add condition to rule ${countText(rule)}`,
    removeCondition: (rule: number, condition: number) => `Remove condition ${condition} of rule ${countText(rule)}`,
    addRule: 'Add rule',
    up: (rule: number) => `Move rule ${countText(rule)} up`,
    down: (rule: number) => `Move rule ${countText(rule)} down`,
    remove: (rule: number) => `Remove rule ${countText(rule)}`,
    then: (rule: number) => `Then, rule ${countText(rule)}`,
    thenWord: 'then',
    chance: 'Chance',
    percent: (rule: number) => `Chance of A in percent, rule ${countText(rule)}`,
    none: 'No rules yet. Without rules, the chance decides.',
    noAttribute: 'Name an attribute, such as plan.',
    attributeProblem: `This is not the name of an attribute (expected 1 to ${countText(limits.contextAttributeCharacters)} characters). Correct it.`,
    twice: 'This rule compares the attribute in this way already. Put all values into one condition.',
    noValue: 'Enter a value to compare the attribute with.',
    badQuotes: 'A quoted value is not complete. End it with ", or remove its quotes.',
    wrongType: {
      text: (value: string) => `${value} is not a text. Correct it.`,
      number: (value: string) => `${value} is not a number. Correct it, or compare as text.`,
      boolean: (value: string) => `${value} is not true or false. Correct it, or compare as text.`,
      mixed: (value: string) => `${value} is not a JSON value. Put a text into double quotes.`,
    },
    valueProblem: (problem: string) => `This ${problem}.`,
    allProblem: (problem: string) => `The list of rules ${problem}.`,
    wrongChance: 'Enter a percentage from 0 to 100.',
    saved: (name: string, stage: string) => `Saved the rules of ${name} in ${stage}`,
  },

  sideNames: {
    title: (name: string) => `Names of the sides of ${name}`,
    lead: 'Names replace A and B. OpenFeature clients receive them as variants.',
    a: 'Name of A',
    b: 'Name of B',
    exampleA: 'on',
    exampleB: 'off',
    both: 'Name both sides, or none.',
    same: 'This is the name of A, too. Choose another one.',
    tooLong: `A name has at most ${limits.labelCharacters} characters. Shorten it.`,
    saved: (name: string, stage: string) => `Saved the names of the sides of ${name} in ${stage}`,
  },

  preview: {
    title: 'Preview',
    sentence: (a: number, users: number, pinned: number, sides: Sides | undefined) =>
      `Of ${countText(users)} sample users${pinned > 0 ? ` and ${countText(pinned)} pinned ${pinned === 1 ? 'seed' : 'seeds'}` : ''}, ${countText(a)} get ${sideText('a', sides)}.`,
    bar: (steps: readonly string[]) => `Who decides: ${steps.join('; ')}`,
    step: (by: DecidingStep['by'], rule: number | undefined) =>
      by === 'rule' ? `Rule ${countText(rule ?? 0)}` : { pin: 'Pins', chance: 'Chance' }[by],
    stepText: (step: string, a: number, all: number, sides: Sides | undefined) =>
      `${step}: ${countText(a)} of ${countText(all)} get ${nameOf('a', sides)}`,
    noContexts: (users: number) =>
      `The ${countText(users)} sample users have no attributes, so no rule matches. Paste sample contexts to try the rules.`,
    someWithout: (without: number) => `${countText(without)} have none of the attributes in the rules.`,
    incomplete: 'Complete the form to see who gets what.',
    contexts: 'Sample contexts',
    contextsHint: 'One JSON object per line, assigned to the sample users in order. They never leave this page.',
    contextsExample: '{"plan": "pro"}\n{"plan": "free"}',
    badLine: (line: number) =>
      `Line ${countText(line)} is not a JSON object, such as {"plan": "pro"}. Check its quotes, commas and brackets.`,
    tooMany: (max: number) => `These are more than ${countText(max)} contexts. Remove some.`,
  },

  stop: 'Stop',
  stopOf: (name: string, stage: string) => `Stop ${name} in ${stage}`,
}
