/** The state of a variable's form, for one or several stages. */
import type { Stage } from '@rollkey/sdk/core'
import type { Digested, RevealedEntry, VariableUpdate, WriteEntry } from '@rollkey/contract'
import {
  attributeNames,
  attributes,
  attributesOf,
  contradictionOf,
  isMoreExposed,
  isOfDeclaredType,
  isSameAttribute,
  kinds,
  limits,
  valueFields,
  valueFieldsOf,
  valuesOf,
  writeEntryOf,
  type AttributeChanges,
  type Declaration,
  type DeclaredType,
  type Exposure,
  type Kind,
  type ValueField,
} from '@rollkey/contract/rules'
import type { StageWrite } from '../../../data/variables/write.ts'
import { labels } from './labels.ts'

/** The values of every kind, and the chance. A boolean has no value until one is chosen. */
type Values = { readonly [Field in ValueField]: string } & { readonly chance: number }

export interface Draft {
  readonly name: string
  readonly kind: Kind
  /** Empty: no declared type. */
  readonly declaredType: DeclaredType | ''
  readonly exposure: Exposure
  readonly description: string
  /** Whether the values are texts of a template. */
  readonly template: boolean
  /** Slugs of the stages that receive the variable. */
  readonly stages: readonly string[]
  readonly hasValuePerStage: boolean
  /** Values of all stages. */
  readonly shared: Values
  /** Values by the slugs of stages, where they differ. */
  readonly byStage: Readonly<Record<string, Values>>
}

const initialChance = 0.5
const noValues = {
  ...(Object.fromEntries(valueFields.map((field) => [field, ''])) as Record<ValueField, string>),
  chance: initialChance,
}

/** Returns a draft without values. `like` is the stored variable, here or in another stage. */
export function newDraft(
  name: string,
  stages: readonly string[],
  like?: Pick<Digested, 'kind' | 'declaredType' | 'template'> & AttributeChanges,
): Draft {
  const { exposure = 'secret', description = '', chance = initialChance } = like ? attributesOf(like) : {}
  return {
    name,
    kind: like?.kind ?? 'secret',
    declaredType: like?.declaredType ?? '',
    exposure,
    description,
    template: like?.template ?? false,
    stages,
    hasValuePerStage: false,
    shared: { ...noValues, chance },
    byStage: {},
  }
}

/** What a new boolean roll has until a person chooses: no one gets A, which is true. */
const flagValues = { valueA: 'true', valueB: 'false', chance: 0 } as const

function isFlag({ kind, declaredType }: Pick<Draft, 'kind' | 'declaredType'>): boolean {
  return kind === 'ab_roll' && declaredType === 'boolean'
}

/** What no default replaces: a person chose it, or the project declares it. */
export interface Settled {
  readonly declaredType: boolean
  readonly exposure: boolean
}

/**
 * Returns the draft of a new variable with another kind. A roll begins as a feature switch, which is boolean, unless its type is settled
 * or a person has entered another text. One that ceases to be a roll is untyped again.
 */
export function withKind(draft: Draft, kind: Kind, settled: Settled): Draft {
  const texts = [draft.shared, ...Object.values(draft.byStage)].flatMap((values) =>
    valueFields.map((field) => values[field]),
  )
  const mayBeFlag = !draft.template && texts.every((text) => text === '' || text === 'true' || text === 'false')
  const { declaredType } = draft
  if (settled.declaredType) return retyped(draft, { kind }, settled)
  if (kind === 'ab_roll' && declaredType === '' && mayBeFlag)
    return retyped(draft, { kind, declaredType: 'boolean' }, settled)
  return retyped(draft, { kind, declaredType: isFlag(draft) ? '' : declaredType }, settled)
}

/**
 * Returns the draft of a new variable with another kind or declared type. One that becomes a boolean roll is plain and has the usual
 * values. One that ceases to be one has none of them, so that a secret is not shown. What a person chose stays.
 */
export function retyped(
  draft: Draft,
  change: Partial<Pick<Draft, 'kind' | 'declaredType'>>,
  settled: Pick<Settled, 'exposure'> = { exposure: false },
): Draft {
  const next = { ...draft, ...change }
  if (isFlag(next) === isFlag(draft)) return next
  const [before, after] = isFlag(next) ? [noValues, flagValues] : [flagValues, noValues]
  const retypedValues = (values: Values): Values => ({
    ...values,
    ...(values.valueA === before.valueA && values.valueB === before.valueB
      ? { valueA: after.valueA, valueB: after.valueB }
      : {}),
    chance: values.chance === before.chance ? after.chance : values.chance,
  })
  const [exposureBefore, exposure] = isFlag(next) ? (['secret', 'plain'] as const) : (['plain', 'secret'] as const)
  return {
    ...next,
    ...withValues(draft, retypedValues),
    exposure: draft.exposure === exposureBefore && !settled.exposure ? exposure : draft.exposure,
  }
}

function withValues({ shared, byStage }: Draft, of: (values: Values) => Values): Pick<Draft, 'shared' | 'byStage'> {
  return {
    shared: of(shared),
    byStage: Object.fromEntries(Object.entries(byStage).map(([slug, values]) => [slug, of(values)])),
  }
}

/** Returns a value of one line without a line break at its end, which people enter by mistake. */
export function withoutFinalBreak(value: string): string {
  return value.replace(/^([^\r\n]*)\r?\n$/, '$1')
}

/** Returns the draft without such line breaks. Values of `initial` stay as they are stored. */
export function withoutFinalBreaks(draft: Draft, { shared }: Draft): Draft {
  const without = (values: Values): Values => {
    const changed = valueFields.filter((field) => values[field] !== shared[field])
    return { ...values, ...Object.fromEntries(changed.map((field) => [field, withoutFinalBreak(values[field])])) }
  }
  return { ...draft, ...withValues(draft, without) }
}

/** Returns the slugs of the stages that a new variable is for, unless a person chooses others: production only where nothing else is. */
export function usualStages(stages: readonly Pick<Stage, 'stageSlug' | 'isProduction'>[]): readonly string[] {
  const usual = stages.filter(({ isProduction }) => !isProduction)
  return (usual.length > 0 ? usual : stages).map(({ stageSlug }) => stageSlug)
}

/** Returns a variable of an answer, or of a write, as a write states it. */
export function statedEntry(entry: WriteEntry | RevealedEntry): WriteEntry {
  return 'template' in entry && typeof entry.template === 'boolean'
    ? entry
    : (writeEntryOf(entry as RevealedEntry) as WriteEntry)
}

/** Returns a draft of known values. What the entry omits is as it is stored. */
export function draftOf(given: WriteEntry | RevealedEntry, stages: readonly string[], stored?: Digested): Draft {
  const entry = statedEntry(given)
  const { kind, declaredType = stored?.declaredType } = entry
  const known = attributesOf(entry, stored && attributesOf(stored))
  const draft = newDraft(entry.name, stages, { kind, declaredType, ...known })
  return {
    ...draft,
    template: entry.template === true,
    shared: { ...draft.shared, ...valueFieldsOf(entry.kind, valuesOf(entry)) },
  }
}

/** Returns the values of a stage. */
export function valuesIn({ hasValuePerStage, shared, byStage }: Draft, stageSlug: string): Values {
  return hasValuePerStage ? (byStage[stageSlug] ?? noValues) : shared
}

/** Returns whether all entered values are true or false, and no type says that they are boolean. */
export function looksBoolean({ kind, declaredType, hasValuePerStage, shared, byStage }: Draft): boolean {
  const entered = hasValuePerStage ? Object.values(byStage) : [shared]
  const texts = entered.flatMap((values) => kinds[kind].values.map(({ field }) => values[field]))
  return declaredType === '' && texts.length > 0 && texts.every((text) => text === 'true' || text === 'false')
}

/** Returns the draft with values per stage or with shared ones. Entered values stay. */
export function withValuePerStage(draft: Draft, hasValuePerStage: boolean): Draft {
  const { stages, shared, byStage } = draft
  const missing = stages.filter((slug) => !(slug in byStage)).map((slug) => [slug, shared] as const)
  return { ...draft, hasValuePerStage, byStage: { ...byStage, ...Object.fromEntries(missing) } }
}

/** Returns the entry that the draft writes to a stage. */
export function entryIn(draft: Draft, stageSlug: string): WriteEntry {
  const { name, kind, declaredType } = draft
  const values = valuesIn(draft, stageSlug)
  const fields: AttributeChanges = { ...values, ...draft }
  return {
    name,
    kind,
    ...valueFieldsOf(kind, valuesOf({ kind, ...values })),
    ...Object.fromEntries(kinds[kind].attributes.map((attribute) => [attribute, fields[attribute]])),
    ...(declaredType !== '' && { declaredType }),
    ...(draft.template && { template: true }),
  } as WriteEntry
}

/** A stage as it was when the form opened. */
export interface StoredIn {
  readonly stageSlug: string
  /** Absent: the stage does not have the variable. */
  readonly variable: Digested | undefined
}

/** Returns whether a stage keeps its stored, hidden values: none is entered, and kind and type are as stored. */
export function keepsValues(draft: Draft, { stageSlug, variable }: StoredIn): boolean {
  return (
    canKeep(draft, variable) &&
    valuesOf({ kind: draft.kind, ...valuesIn(draft, stageSlug) }).every((value) => value === '')
  )
}

export function canKeep({ kind, declaredType, template }: Draft, variable: Digested | undefined): boolean {
  return (
    variable !== undefined &&
    variable.kind === kind &&
    (variable.declaredType ?? '') === declaredType &&
    (variable.template ?? false) === template
  )
}

/** Returns how to save the draft in a stage, or undefined if it changes nothing. `areKnown`: an empty value is meant. */
export function saveIn(
  draft: Draft,
  stored: StoredIn,
  areKnown: boolean,
): Pick<StageWrite, 'content' | 'isNew'> | undefined {
  const { stageSlug, variable } = stored
  const entry = entryIn(draft, stageSlug)
  if (!variable) return { content: { entries: [entry] }, isNew: true }
  if (areKnown || !keepsValues(draft, stored)) return { content: { entries: [entry] } }
  const changes = attributeChanges(variable, entry)
  return Object.keys(changes).length === 0 ? undefined : { content: { updates: [{ name: draft.name, ...changes }] } }
}

/** Returns the attributes that the entry states otherwise than they are stored. */
function attributeChanges(before: Digested, entry: WriteEntry): Omit<VariableUpdate, 'name'> {
  const now: AttributeChanges = entry
  const changed = attributeNames.filter(
    (name) => now[name] !== undefined && !isSameAttribute(now[name], before[name] ?? attributes[name].none),
  )
  return Object.fromEntries(changed.map((name) => [name, now[name]]))
}

/** Returns whether the draft shows a stored value to more people, or a new one to everyone. */
export function raisesExposure({ exposure, stages }: Draft, stored: readonly StoredIn[]): boolean {
  return stored.some(
    ({ stageSlug, variable }) =>
      stages.includes(stageSlug) && (variable ? isMoreExposed(exposure, variable.exposure) : exposure === 'client'),
  )
}

/** Returns what is wrong with a value, or null. `mayBeEmpty`: where an empty one cannot be an oversight. */
export function valueProblem(type: Draft['declaredType'], value: string, mayBeEmpty: boolean): string | null {
  if (type === 'int64' && /^-?\d{19,}$/.test(value) && !isOfDeclaredType(type, value)) return labels.tooLarge
  if (type !== '' && !isOfDeclaredType(type, value)) return labels.advice[type]
  if (value === '' && !mayBeEmpty) return labels.enterValue
  return new TextEncoder().encode(value).length > limits.valueBytes ? labels.valueTooLong : null
}

const environmentName = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Returns what is wrong with the name of a new variable, or null. */
export function nameProblem(name: string, allowsAnyName: boolean): string | null {
  if (name === '') return labels.enterName
  return allowsAnyName || environmentName.test(name) ? null : labels.unusualName
}

/** A stage that can get the variable, as it was when the form opened. */
export interface FormStage {
  readonly stage: Stage
  /** Absent: the stage does not have it. */
  readonly variable: Digested | undefined
  readonly revision: number
  /** Names that a new variable cannot have. */
  readonly takenNames: ReadonlySet<string>
  /** Those of them that the stage has, rather than a change that is not saved yet. */
  readonly storedNames?: ReadonlySet<string>
}

export interface Rules {
  readonly stages: readonly FormStage[]
  readonly initial: Draft
  readonly isNew: boolean
  readonly areKnown: boolean
  readonly allowsAnyName: boolean
  /** What the project expects of the variable; undefined: nothing, or it is not known yet. */
  readonly declared?: Declaration | undefined
}

/** Returns how a value contradicts what the project declares, or null. */
export function declaredProblem(
  declared: Declaration | undefined,
  { declaredType }: Pick<Draft, 'declaredType'>,
  value: string,
): string | null {
  if (!declared) return null
  const variable = { name: declared.name, declaredType: declaredType === '' ? undefined : declaredType }
  const contradiction = contradictionOf(declared, variable, [value])
  return contradiction ? labels.asDeclared(contradiction.expected) : null
}

/** Returns what of a new variable the project declares otherwise than a feature switch has it. */
export function settledByDeclaration(declared: Declaration | undefined): Settled {
  const flag = { declaredType: 'boolean' } as const
  return {
    declaredType: ['true', 'false'].some((value) => declaredProblem(declared, flag, value) !== null),
    exposure: declared?.exposure !== undefined,
  }
}

/** Returns what is wrong with a draft, by the paths of its fields. */
export function problemsOf(draft: Draft, { stages, initial, isNew, areKnown, allowsAnyName, declared }: Rules) {
  const chosen = stages.filter(({ stage }) => draft.stages.includes(stage.stageSlug))
  const taken = chosen.filter(({ takenNames }) => takenNames.has(draft.name)).map(({ stage }) => stage.name)
  const groups = draft.hasValuePerStage
    ? chosen.map((each) => ({
        path: `byStage.${each.stage.stageSlug}`,
        values: draft.byStage[each.stage.stageSlug],
        of: [each],
      }))
    : [{ path: 'shared', values: draft.shared, of: chosen }]
  const problems: [string, string | null][] = groups.flatMap(({ path, values, of }) => {
    const mayKeep = !areKnown && of.length > 0 && of.every(({ variable }) => canKeep(draft, variable))
    const texts = kinds[draft.kind].values.map(({ field }) => ({ field, text: values?.[field] ?? '' }))
    if (mayKeep && texts.every(({ text }) => text === '')) return []
    const mayBeEmpty = areKnown && draft.kind === initial.kind
    return texts.map(({ field, text }): [string, string | null] => [
      `${path}.${field}`,
      mayKeep && text === ''
        ? draft.declaredType === 'boolean'
          ? labels.chooseBoth
          : labels.enterBoth
        : draft.template
          ? // The service checks the result.
            valueProblem('', text, mayBeEmpty)
          : (valueProblem(draft.declaredType, text, mayBeEmpty) ?? declaredProblem(declared, draft, text)),
    ])
  })
  if (isNew) {
    problems.push([
      'name',
      nameProblem(draft.name, allowsAnyName) ?? (taken.length > 0 ? labels.nameTaken(taken) : null),
    ])
  }
  if (chosen.length === 0) problems.push(['stages', labels.chooseStage])
  return Object.fromEntries(problems.filter(([, problem]) => problem !== null))
}
