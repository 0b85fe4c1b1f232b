/** Texts of kinds, declared types and changes. */
import type { HistoryChange } from '@rollkey/sdk/core'
import { list } from '../../lib/list.ts'
import { countText, percentText } from '../../lib/numbers.ts'
import {
  type AttributeName,
  attributeNames,
  type Attributes,
  type AttributeTypes,
  type Declaration,
  type DeclaredType,
  endedSide,
  type Exposure,
  type Kind,
  kinds,
  type Labels,
  type PinCounts,
  requirementOf,
  requirementsOf,
  type TargetingRule,
} from '@rollkey/contract/rules'
import { quotedTitle } from '../history/labels.ts'

/** The wire calls a single value `secret`; here, that word is for what is masked. */
const kindNames: Readonly<Record<Kind, string>> = { secret: 'One value', ab_roll: kinds.ab_roll.label }

export function kindName(kind: Kind): string {
  return kindNames[kind]
}

interface AttributeWords<Value> {
  readonly name: string
  /** Returns the value as text, such as "10%". */
  readonly text: (value: Value) => string
  /** Initial value of a new variable. */
  readonly initial: Value
}

const sidesText = ({ a, b }: Labels): string => `A “${a}”, B “${b}”`
const rulesText = ({ length }: readonly TargetingRule[]): string => (length === 0 ? 'none' : countText(length))

function pinnedText({ a, b }: PinCounts): string {
  const sides = [...(a > 0 ? [`${countText(a)} to A`] : []), ...(b > 0 ? [`${countText(b)} to B`] : [])]
  return sides.length === 0 ? 'none' : sides.join(', ')
}

const attributeWords: { readonly [Name in AttributeName]: AttributeWords<AttributeTypes[Name]> } = {
  chance: { name: 'chance', text: percentText, initial: 0.5 },
  exposure: { name: 'visibility', text: (exposure) => exposure, initial: 'secret' },
  description: { name: 'description', text: (text) => `“${text}”`, initial: '' },
  labels: { name: 'labels', text: sidesText, initial: { a: 'A', b: 'B' } },
  rules: { name: 'targeting rules', text: rulesText, initial: [] },
  pinned: { name: 'pins', text: pinnedText, initial: { a: 0, b: 0 } },
}

/** Returns an attribute with its name, such as "chance 10%". `text`: its value or a change of it. */
export function attributeFact(name: AttributeName, text: string): string {
  return labels.fact(attributeWords[name].name, text)
}

/** Returns an attribute as text, such as "10%". */
export function attributeText<Name extends AttributeName>(name: Name, value: AttributeTypes[Name]): string {
  return attributeWords[name].text(value)
}

/** Returns the attributes of a variable. */
export function attributeEntries(
  variable: Attributes,
): readonly (readonly [AttributeName, AttributeTypes[AttributeName]])[] {
  return attributeNames.flatMap((name) => {
    const value = variable[name]
    return value === undefined ? [] : [[name, value] as const]
  })
}

export const typeNames: Readonly<Record<DeclaredType, string>> = {
  string: 'text',
  boolean: 'boolean',
  int64: 'whole number',
  float: 'number',
  date: 'date',
  json: 'JSON',
}

/** Types as a choice offers them: with the type in code, where it is not what people expect. */
export const typeChoices: Readonly<Record<DeclaredType, string>> = {
  ...typeNames,
  int64: 'whole number (bigint in code)',
  float: 'number (number in code)',
}

/** Names of the changes of a variable. */
const changeWords: Readonly<Record<HistoryChange['change'], string>> = {
  created: 'Created',
  updated: 'Changed',
  deleted: 'Deleted',
  restored: 'Restored',
}

const rotatedValues = ['new value', 'old value'] as const

/** Returns how people call the values of a variable, in the order of its kind. */
export function valueNames({ kind, rotating }: Attributes & { readonly kind: Kind }): readonly string[] {
  return rotating ? rotatedValues : kinds[kind].values.map(({ label }) => label)
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Returns a plain value as people see it within a sentence, cut after `max` characters. */
export function shownValue(value: string, max = 60): string {
  if (value === '') return 'empty'
  return value.length > max ? `${value.slice(0, max)}…` : value
}

/** The length up to which a button can name a variable. */
const longestName = 40

/** Names up to two variables, and counts more, such as "12 variables". */
export function variablesText(names: readonly string[]): string {
  if (names.length <= 2 && names.every(({ length }) => length <= longestName)) return list.format(names)
  return names.length === 1 ? '1 variable' : `${countText(names.length)} variables`
}

/** Returns text such as "2 of 31 set, 1 proposed". */
export function fillingText({
  set,
  all,
  proposed = 0,
}: {
  readonly set: number
  readonly all: number
  readonly proposed?: number
}): string {
  const text = `${countText(set)} of ${countText(all)} set`
  return proposed === 0 ? text : `${text}, ${countText(proposed)} proposed`
}

/** Returns the subject of a sentence, such as "API_KEY is" or "12 variables are". */
function are(names: readonly string[]): string {
  const [name = ''] = names
  return names.length === 1 ? `${name} is` : `${countText(names.length)} variables are`
}

/**
 * Names the stages of a save: up to two of them, and production always, such as "prod and 2 other stages". One should not change
 * production without reading its name.
 */
export function inStages(stages: readonly { readonly name: string; readonly isProduction: boolean }[]): string {
  const named = stages.length > 2 ? stages.filter(({ isProduction }) => isProduction) : stages
  const others = stages.length - named.length
  if (named.length === 0) return `${countText(others)} stages`
  return list.format([
    ...named.map(({ name }) => name),
    ...(others === 0 ? [] : [others === 1 ? '1 other stage' : `${countText(others)} other stages`]),
  ])
}

/** Texts that several parts of the table and the drawer share. */
export const labels = {
  news: (news: {
    readonly author: string
    readonly hasOthers: boolean
    readonly change: HistoryChange['change']
    /** The name of the only variable, or how many there are. */
    readonly what: string | number
    readonly stage: string
    readonly when: string
  }) => {
    const who = news.hasOthers ? `${news.author} and others` : news.author
    const what = typeof news.what === 'string' ? news.what : `${countText(news.what)} variables`
    return `${who} ${changeWords[news.change].toLowerCase()} ${what} in ${news.stage} (${news.when}).`
  },
  newsOfYours: (news: {
    readonly who: string
    readonly reason: string
    readonly stage: string
    readonly when: string
  }) => `${news.who} applied your change ${quotedTitle(news.reason)} to ${news.stage} (${news.when}).`,
  changedBy: (change: HistoryChange['change'], author: string) => `${changeWords[change]} by ${author}`,
  changedMeanwhile: (author: string, change: HistoryChange['change'], when: string) =>
    `${author} ${changeWords[change].toLowerCase()} this variable (${when}).`,
  rotating: 'being rotated',
  newShare: 'share of the new value',
  untyped: 'untyped',
  valueChanged: 'changed',
  fact: (name: string, value: string) => `${name} ${value}`,
  typeFact: (type: string) => `type ${type}`,
  transition: (before: string, after: string) => `${before} → ${after}`,
  conflict: (names: readonly string[]) =>
    `Someone changed ${variablesText(names)} in the meantime, so nothing was saved there. Look at it, then try again.`,
  stageChanged: 'Nothing was saved, because someone changed a stage in the meantime. Check the list again.',
  undone: {
    created: (names: readonly string[], stages: readonly string[]) => `${are(names)} back in ${list.format(stages)}`,
    updated: (names: readonly string[], stages: readonly string[]) =>
      `${are(names)} as before in ${list.format(stages)}`,
    deleted: (names: readonly string[], stages: readonly string[]) =>
      `${are(names)} no longer in ${list.format(stages)}`,
  },
  notUndone: (author: string, name: string, stage: string) =>
    `${author} changed ${name} in ${stage} since, so it stays as it is. The history has both changes.`,
}

/** The kinds that people distinguish: an exposed secret is a plain variable. */
export const shownKinds = ['secret', 'plain', 'ab_roll'] as const
export type ShownKind = (typeof shownKinds)[number]

/** A kind as people see it. A client value is a plain one that client programs see, too. */
export const seenKinds = ['secret', 'plain', 'client', 'ab_roll'] as const satisfies readonly (Exposure | 'ab_roll')[]
type SeenKind = (typeof seenKinds)[number]

export const seenKindNames: Readonly<Record<SeenKind, string>> = {
  secret: 'Secret value',
  plain: 'Plain value',
  client: 'Client value',
  ab_roll: kindNames.ab_roll,
}

/** Returns a kind among other facts, such as "plain value". */
export function kindFact(kind: SeenKind): string {
  return kind === 'ab_roll' ? seenKindNames[kind] : seenKindNames[kind].toLowerCase()
}

/** Returns the kind as people see it: a secret that is being rotated is one. */
export function seenKindOf({ kind, exposure = 'secret', rotating }: Attributes & { readonly kind: Kind }): SeenKind {
  return kind === 'secret' || rotating ? exposure : kind
}

/** A roll, and what decides it. */
type Split = Parameters<typeof endedSide>[0] & Pick<Attributes, 'rotating'>

/** Returns who gets A, for a cell of the table, such as "A 10%" or "All B"; of a rotation, who gets the new value. */
export function splitText(roll: Split): string {
  if (roll.rotating) return `New ${percentText(roll.chance ?? 0)}`
  const all = endedSide(roll)
  return all === undefined ? `A ${percentText(roll.chance ?? 0)}` : `All ${all.toUpperCase()}`
}

/** Returns the values of a roll with the letters of their sides, such as "A true · B false". */
export function bothSides([a = '', b = '']: readonly string[]): string {
  return `A ${a} · B ${b}`
}

/**
 * Returns the values that someone gets, for the place after `splitText`, which may name A: both, as in "A 25% true · B false", or the
 * only one of a roll that gives everyone the same side.
 */
export function servedText(values: readonly string[], roll: Split): string {
  const [a = '', b = ''] = values
  if (roll.rotating) return bothSides(values)
  const all = endedSide(roll)
  return all === undefined ? `${a} · B ${b}` : { a, b }[all]
}

/** Returns whether people see the values without revealing them. */
export function isExposed({ exposure = 'secret' }: Attributes): boolean {
  return exposure !== 'secret'
}

export function shownKindOf(variable: Attributes & { readonly kind: Kind }): ShownKind {
  const kind = variable.rotating ? 'secret' : variable.kind
  return kind === 'secret' && isExposed(variable) ? 'plain' : kind
}

/** Returns what a project expects of each value, as ends of sentences after "must". */
export function expectationsOf({ declaredType, constraint }: Declaration): readonly string[] {
  const ofType = declaredType ? [`be ${requirementOf(declaredType)}`] : []
  return [...ofType, ...(constraint ? requirementsOf(constraint) : [])]
}
