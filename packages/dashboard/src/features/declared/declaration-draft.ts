/** The values of the form of a declaration, and the declaration made from them. */
import {
  type Constraint,
  type ConstraintFormat,
  contradictionOf,
  type Declaration,
  type DeclaredType,
  type Exposure,
  problemOfConstraint,
  type Required,
} from '@rollkey/contract/rules'
import type { StatedDeclaration } from '../../data/declarations.ts'
import { labels } from './labels.ts'

const words = labels.form

const numbers = ['minLength', 'maxLength', 'minimum', 'maximum'] as const

export interface DeclarationDraft extends Readonly<Record<(typeof numbers)[number], string>>, Record<string, unknown> {
  readonly name: string
  readonly declaredType: DeclaredType | ''
  readonly description: string
  readonly exposure: Exposure | ''
  readonly required: keyof typeof words.places
  /** Slugs of the selected stages. */
  readonly stages: readonly string[]
  readonly format: ConstraintFormat | ''
  readonly pattern: string
  /** Lines. */
  readonly enum: string
  readonly owner: string
  readonly rotateEveryDays: string
  readonly example: string
}

/** What the form begins with: a declaration, or what a variable says about itself. */
export type Declarable = Pick<Declaration, 'name' | 'declaredType' | 'description' | 'exposure'> & Partial<Declaration>

function placesOf(required: Required | undefined): DeclarationDraft['required'] {
  if (required === undefined || required.length === 0) return 'nowhere'
  return required === 'all' || required === 'production' ? required : 'some'
}

export function draftOf(given: Declarable): DeclarationDraft {
  const { constraint = {}, required, rotateEveryDays } = given
  return {
    name: given.name,
    declaredType: given.declaredType ?? '',
    description: given.description ?? '',
    exposure: given.exposure ?? '',
    required: placesOf(required),
    stages: typeof required === 'object' ? required : [],
    format: constraint.format ?? '',
    pattern: constraint.pattern ?? '',
    enum: (constraint.enum ?? []).join('\n'),
    minLength: String(constraint.minLength ?? ''),
    maxLength: String(constraint.maxLength ?? ''),
    minimum: String(constraint.minimum ?? ''),
    maximum: String(constraint.maximum ?? ''),
    owner: given.owner ?? '',
    rotateEveryDays: String(rotateEveryDays ?? ''),
    example: given.example ?? '',
  }
}

export const emptyDraft = draftOf({ name: '' })

function constraintOf(draft: DeclarationDraft): Constraint {
  const values = draft.enum.split('\n').filter((line) => line !== '')
  return {
    ...(draft.pattern !== '' && { pattern: draft.pattern }),
    ...Object.fromEntries(numbers.flatMap((part) => (draft[part].trim() === '' ? [] : [[part, Number(draft[part])]]))),
    ...(values.length > 0 && { enum: values }),
    ...(draft.format !== '' && { format: draft.format }),
  }
}

function requiredOf({ required, stages }: DeclarationDraft): Required | undefined {
  if (required === 'nowhere') return undefined
  return required === 'some' ? stages : required
}

/** Returns the declaration of a draft that passed the checks. */
export function declarationOf(draft: DeclarationDraft): StatedDeclaration {
  const constraint = constraintOf(draft)
  const required = requiredOf(draft)
  const { declaredType, exposure, rotateEveryDays } = draft
  return {
    name: draft.name.trim(),
    ...(declaredType !== '' && { declaredType }),
    ...(draft.description.trim() !== '' && { description: draft.description.trim() }),
    ...(exposure !== '' && { exposure }),
    ...(Object.keys(constraint).length > 0 && { constraint }),
    ...(required !== undefined && { required }),
    ...(draft.owner.trim() !== '' && { owner: draft.owner.trim() }),
    ...(rotateEveryDays.trim() !== '' && { rotateEveryDays: Number(rotateEveryDays) }),
    ...(draft.example !== '' && { example: draft.example }),
  }
}

/** Returns what is wrong with a draft, by its fields. `taken`: names that a new declaration cannot have. */
export function problemsOf(draft: DeclarationDraft, taken: ReadonlySet<string>): Partial<Record<string, string>> {
  const { required, stages, rotateEveryDays } = draft
  const name = draft.name.trim()
  const problems = {
    ...(name === '' && { name: words.nameMissing }),
    ...(taken.has(name) && { name: words.nameTaken }),
    ...(required === 'some' && stages.length === 0 && { stages: words.stagesMissing }),
    ...(rotateEveryDays.trim() !== '' &&
      !/^[1-9]\d*$/.test(rotateEveryDays.trim()) && { rotateEveryDays: words.daysWrong }),
    ...numberProblems(draft),
  }
  if (Object.keys(problems).length > 0) return problems
  const declaration = declarationOf(draft)
  const problem = declaration.constraint && problemOfConstraint(declaration.constraint)
  if (problem) return { [String(problem.path[0] ?? 'pattern')]: words.wrong(problem.message) }
  const broken = draft.example === '' ? undefined : contradictionOf(declaration, { name }, [draft.example])
  return broken ? { example: words.wrong(broken.expected) } : {}
}

function numberProblems(draft: DeclarationDraft): Partial<Record<string, string>> {
  return Object.fromEntries(
    numbers.flatMap((part): [string, string][] => {
      const text = draft[part].trim()
      if (text === '') return []
      if (part.endsWith('Length')) return /^\d+$/.test(text) ? [] : [[part, words.lengthWrong]]
      return Number.isFinite(Number(text)) ? [] : [[part, words.numberWrong]]
    }),
  )
}

export const placeChoices = Object.entries(words.places).map(([value, label]) => ({ value, label }))
export const exposureChoices = Object.entries(words.exposures).map(([value, label]) => ({ value, label }))
export const formatChoices = [
  { value: '', label: words.anyFormat },
  ...Object.entries(words.formats).map(([value, label]) => ({ value, label })),
]

/** Returns whether the draft says more than what most declarations say. */
export function isConstrained(draft: DeclarationDraft): boolean {
  return Object.keys(constraintOf(draft)).length > 0
}
