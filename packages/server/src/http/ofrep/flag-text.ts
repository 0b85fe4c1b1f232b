/** Flags as JSON text. Equal flags have equal texts, because clients compare them. */
import type { EvaluatedFlag, Flag } from '../../evaluation/evaluate.ts'
import { targetingKeyMissing } from './flag-request.ts'
import { OfrepError, type OfrepErrorCode } from './ofrep-error.ts'

/** Declared types whose texts are JSON. */
const jsonTypes: readonly unknown[] = ['boolean', 'int64', 'float', 'json']

const inexact =
  'The integer is beyond 2^53 - 1, up to which numbers of JSON are exact in every language: declare the variable as a string.'

function isInexact({ variable, value }: EvaluatedFlag): boolean {
  return variable.declaredType === 'int64' && !Number.isSafeInteger(Number(value))
}

/** Returns the text of a reason. A chance that gives everyone the same side does not split. */
function reasonOf({ choice: { step } }: EvaluatedFlag): 'STATIC' | 'SPLIT' | 'TARGETING_MATCH' {
  if (!step) return 'STATIC'
  if (step.by !== 'chance') return 'TARGETING_MATCH'
  return step.chance === 0 || step.chance === 1 ? 'STATIC' : 'SPLIT'
}

/** The variant of a flag with one value. Some providers require each flag to have one. */
const onlyVariant = 'default'

/** Returns the JSON text of a value. A float always has a point or an exponent: languages with integers read the type from the number. */
function valueTextOf({ variable: { declaredType }, value }: EvaluatedFlag): string {
  if (!jsonTypes.includes(declaredType)) return JSON.stringify(value)
  return declaredType === 'float' && /^-?\d+$/.test(value) ? `${value}.0` : value
}

/** Returns the object of a flag without its closing brace. */
function successText(flag: EvaluatedFlag): string {
  const { variable, choice } = flag
  const { name, kind, declaredType } = variable
  const { labels } = variable.attributes
  const side = choice.decision
  const variant = JSON.stringify(side === undefined ? onlyVariant : (labels?.[side] ?? side))
  const metadata = JSON.stringify({ kind, declaredType })
  return `{"key":${JSON.stringify(name)},"value":${valueTextOf(flag)},"reason":"${reasonOf(flag)}","variant":${variant},"metadata":${metadata}`
}

function failureText(key: string, errorCode: OfrepErrorCode, errorDetails: string): string {
  return JSON.stringify({ key, errorCode, errorDetails })
}

/** Returns the answer with one flag, without its closing brace. Throws OfrepError. */
export function flagText(flag: EvaluatedFlag): string {
  if (isInexact(flag)) throw new OfrepError('GENERAL', inexact)
  return successText(flag)
}

/** Returns a flag of the answer with all flags, or why it has no value. */
export function flagOrFailureText({ variable, choice, value }: Flag): string {
  const { name } = variable
  if (!choice) return failureText(name, 'TARGETING_KEY_MISSING', targetingKeyMissing)
  if (value === undefined) return failureText(name, 'GENERAL', 'The value cannot be opened: try again later.')
  const flag = { variable, choice, value }
  return isInexact(flag) ? failureText(name, 'GENERAL', inexact) : `${successText(flag)}}`
}
