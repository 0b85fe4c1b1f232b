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

/** Returns the object of a flag without its closing brace. */
function successText(flag: EvaluatedFlag): string {
  const { variable, choice, value } = flag
  const { name, kind, declaredType } = variable
  const { labels } = variable.attributes
  const valueText = jsonTypes.includes(declaredType) ? value : JSON.stringify(value)
  const variant =
    choice.decision === undefined ? '' : `,"variant":${JSON.stringify(labels?.[choice.decision] ?? choice.decision)}`
  const metadata = JSON.stringify({ kind, declaredType })
  return `{"key":${JSON.stringify(name)},"value":${valueText},"reason":"${reasonOf(flag)}"${variant},"metadata":${metadata}`
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
