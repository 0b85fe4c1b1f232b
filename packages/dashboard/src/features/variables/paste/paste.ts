/** Variables from the text of a .env file. */
import type { Stage } from '@rollkey/sdk/core'
import type { Digested, RevealedEntry, WriteEntry } from '@rollkey/contract'
import {
  type Declaration,
  type DeclaredType,
  DotenvError,
  type DotenvAssignment,
  type Exposure,
  type Kind,
  limits,
  parseDotenv,
} from '@rollkey/contract/rules'
import type { StageContents } from '../../../data/variables/comparison.ts'
import { declaredProblem, nameProblem, valueProblem } from '../editor/draft.ts'
import { looksHarmless } from './harmless.ts'
import { labels } from './labels.ts'

/** A stage that receives the variables. */
export interface PasteTarget {
  readonly stage: Pick<Stage, 'stageSlug' | 'name'>
  readonly contents: StageContents
  /** The entries whose values people see without a reveal, by name. */
  readonly plain: ReadonlyMap<string, RevealedEntry>
}

export interface LineProblem {
  /** Number of the line, from 1. */
  readonly line: number
  /** A sentence without any value. */
  readonly text: string
}

export interface PastedEffect {
  readonly stageName: string
  /** A plain value that is `same` is left out. A masked one is `changed` even if it is equal: only the service can compare it. */
  readonly effect: 'new' | 'same' | 'changed'
  /** The kind and the plain value that the text replaces, where they are known. */
  readonly kind?: Kind
  readonly before?: string
}

/** What a new variable is. */
export interface PastedAttributes {
  /** Empty: none. */
  readonly declaredType: DeclaredType | ''
  readonly exposure: Exposure
}

/** A name of the text. */
export interface PastedName {
  readonly name: string
  readonly value: string
  /** For a new variable: the type inferred from the value, unless the person chose another one. */
  readonly attributes?: PastedAttributes
  /** Whether its line is wrong. Absent: it is not. */
  readonly isRefused?: boolean
  /** In the order of the targets. */
  readonly effects: readonly PastedEffect[]
}

/** What the text changes in a stage. */
interface PastedWrite {
  readonly stageSlug: string
  /** At least one. */
  readonly entries: readonly WriteEntry[]
  /** The revision of the stage that the effects compare with. */
  readonly seen: number
}

interface Pasted {
  /** Without those of skipped lines. */
  readonly names: readonly PastedName[]
  /** By stage, without what stays the same. Empty while there are problems. */
  readonly writes: readonly PastedWrite[]
  /** Names of new secret variables whose visibility the person did not choose, and whose values look harmless. */
  readonly harmless: readonly string[]
  /** Whether a name, also one of a skipped line, cannot be an environment variable. */
  readonly isUnusual: boolean
  /** Problems by line, at most one for each. */
  readonly problems: readonly LineProblem[]
  /** Problems of the lines that the person skipped. */
  readonly skipped: readonly LineProblem[]
  /** What was left out of values, or may be a mistake, by line. */
  readonly notices: readonly LineProblem[]
}

/** How many lines are reported at once. */
const maxProblems = 50

/** What a person chose, by name. */
export type Choices = Readonly<Record<string, Partial<PastedAttributes>>>

/** How a text is taken. */
interface PasteRules {
  readonly allowsAnyName?: boolean
  readonly choices?: Choices
  /** Problems whose lines are left out. */
  readonly skips?: readonly LineProblem[]
  /** What the project expects, by name. */
  readonly declared?: ReadonlyMap<string, Declaration>
}

/** Returns what a text changes in stages, and its problems. Existing variables keep their attributes, also in further stages. */
export function pasted(
  text: string,
  targets: readonly PasteTarget[],
  { allowsAnyName = false, choices = {}, skips = [], declared = new Map() }: PasteRules = {},
): Pasted {
  const { assignments: read, problems: unreadable } = readable(text)
  const stored = targets.map(({ contents }) => new Map(contents.variables.map((each) => [each.name, each])))
  const rules = { stored, declared, choices, allowsAnyName }
  const found = [...unreadable, ...read.flatMap((assignment) => problemsOf(assignment, rules))]
  const isSkipped = (problem: LineProblem): boolean =>
    skips.some(({ line, text: known }) => line === problem.line && known === problem.text)
  const problems = found.filter((problem) => !isSkipped(problem))
  const skipped = found.filter(isSkipped)
  const skippedLines = new Set(skipped.map(({ line }) => line))
  const assignments = read.filter(({ line }) => !skippedLines.has(line))
  const wrongLines = new Set(problems.map(({ line }) => line))
  const areWrong = problems.length > 0 || assignments.length > limits.entries
  // Of several lines with a name, one that is not refused shows what it does.
  const byRight = assignments.toSorted(
    (one, other) => Number(wrongLines.has(one.line)) - Number(wrongLines.has(other.line)),
  )
  const firsts = new Map(byRight.toReversed().map((assignment) => [assignment.name, assignment]))
  const names = assignments
    .filter((assignment) => firsts.get(assignment.name) === assignment)
    .map(({ name, value, line }) => ({
      name,
      value,
      ...(wrongLines.has(line) && { isRefused: true }),
      ...(stored.every((variables) => !variables.has(name)) && {
        attributes: attributesOf(value, declared.get(name), choices[name]),
      }),
      effects: targets.map((target, at) => effectOf(target, stored[at]?.get(name), value)),
    }))
  const writes = targets.map(({ stage: { stageSlug }, contents: { revision } }, at): PastedWrite => {
    const changed = names.filter(({ effects }) => effects[at]?.effect !== 'same')
    const entries = changed.map(({ name, value, attributes = attributesIn(stored, name) }) => {
      const isNew = stored[at]?.has(name) === false
      return { name, kind: 'secret', value, ...(isNew && fieldsOf(attributes)) } as const
    })
    return { stageSlug, entries, seen: revision }
  })
  return {
    names,
    writes: areWrong ? [] : writes.filter(({ entries }) => entries.length > 0),
    harmless: names.flatMap(({ name, value, attributes, isRefused }) =>
      attributes &&
      isRefused !== true &&
      choices[name]?.exposure === undefined &&
      looksHarmless(name, value, attributes.declaredType)
        ? name
        : [],
    ),
    isUnusual: read.some(({ name }) => nameProblem(name, false) !== null),
    problems: inOrder(problems),
    skipped: inOrder(skipped),
    notices: assignments
      .flatMap(({ line, notices }) => notices.map((notice) => ({ line, text: `${notice}.` })))
      .slice(0, maxProblems),
  }
}

interface LineRules {
  /** The variables of each target, by name. */
  readonly stored: readonly ReadonlyMap<string, Digested>[]
  readonly declared: ReadonlyMap<string, Declaration>
  readonly choices: Choices
  readonly allowsAnyName: boolean
}

/** Returns the problem of an assignment, if any. */
function problemsOf(
  { name, value, line }: DotenvAssignment,
  { stored, declared, choices, allowsAnyName }: LineRules,
): readonly LineProblem[] {
  const isKnown = stored.some((variables) => variables.has(name))
  const wrongName = isKnown ? null : nameProblem(name, allowsAnyName)
  if (wrongName !== null) return [{ line, text: labels.wrongName(name) }]
  const types = [choices[name]?.declaredType, ...stored.map((variables) => variables.get(name)?.declaredType)]
  const ofDeclared = declared.get(name)
  const attributes = isKnown ? attributesIn(stored, name) : attributesOf(value, ofDeclared, choices[name])
  const wrongValue =
    types.flatMap((type) => typeProblem(type, value))[0] ?? declaredProblem(ofDeclared, attributes, value)
  return wrongValue === null ? [] : [{ line, text: labels.wrongValue(name, wrongValue) }]
}

/** Returns the first problems by line. */
function inOrder(problems: readonly LineProblem[]): readonly LineProblem[] {
  return problems.toSorted((one, other) => one.line - other.line).slice(0, maxProblems)
}

function effectOf({ stage, plain }: PasteTarget, stored: Digested | undefined, value: string): PastedEffect {
  const stageName = stage.name
  if (!stored) return { stageName, effect: 'new' }
  const { kind, name } = stored
  const entry = plain.get(name)
  if (entry?.kind !== 'secret') return { stageName, effect: 'changed', kind }
  return { stageName, effect: entry.value === value ? 'same' : 'changed', kind, before: entry.value }
}

/** Returns the attributes of a variable in the first stage that has it. */
function attributesIn(stages: readonly ReadonlyMap<string, Digested>[], name: string): PastedAttributes {
  const { declaredType = '', exposure = 'secret' } = stages.flatMap((variables) => variables.get(name) ?? [])[0] ?? {}
  return { declaredType, exposure }
}

function attributesOf(
  value: string,
  declared: Declaration | undefined,
  chosen: Partial<PastedAttributes> = {},
): PastedAttributes {
  return { declaredType: declared?.declaredType ?? typeOf(value), exposure: 'secret', ...chosen }
}

/** Returns the type that a value looks like. Digits after a zero are more likely a code than a number. */
function typeOf(value: string): PastedAttributes['declaredType'] {
  if (value === 'true' || value === 'false') return 'boolean'
  if (/^(?:0|-?[1-9]\d{0,14})$/.test(value)) return 'int64'
  if (/^-?(?:0|[1-9]\d{0,14})\.\d{1,15}$/.test(value)) return 'float'
  if (/^\d{4}-/.test(value) && valueProblem('date', value, false) === null) return 'date'
  return /^[{[]/.test(value) && valueProblem('json', value, false) === null ? 'json' : ''
}

function fieldsOf({ declaredType, exposure }: PastedAttributes): { declaredType?: DeclaredType; exposure?: Exposure } {
  return { ...(declaredType !== '' && { declaredType }), ...(exposure !== 'secret' && { exposure }) }
}

function typeProblem(type: PastedAttributes['declaredType'] | undefined, value: string): readonly string[] {
  const problem = valueProblem(type ?? '', value, true)
  return problem === null ? [] : [problem]
}

/** Returns the assignments of a text, and its invalid lines. An invalid line does not hide the others. */
function readable(text: string): { assignments: readonly DotenvAssignment[]; problems: readonly LineProblem[] } {
  const lines = text.split(/\r\n?|\n/)
  const breaks = text.match(/\r\n?|\n/g) ?? []
  const problems: LineProblem[] = []
  while (problems.length <= maxProblems) {
    try {
      const assignments = parseDotenv(lines.map((line, at) => line + (breaks[at] ?? '')).join(''))
      return { assignments, problems: [...problems, ...repetitions(assignments)] }
    } catch (error) {
      if (!(error instanceof DotenvError)) throw error
      problems.push({ line: error.line, text: `${error.message}.` })
      lines[error.line - 1] = ''
    }
  }
  return { assignments: [], problems }
}

/** Returns the lines whose name a later line sets again. Programs that read the file take the last one, and so does who skips these. */
function repetitions(assignments: readonly DotenvAssignment[]): readonly LineProblem[] {
  const last = new Map(assignments.map(({ name, line }) => [name, line]))
  return assignments.flatMap(({ name, line }) => {
    const later = last.get(name) ?? line
    return later === line ? [] : [{ line, text: labels.repeated(name, later) }]
  })
}
