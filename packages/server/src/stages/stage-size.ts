/** The limits of the size of a stage. They exist because memory holds a stage as a whole, and a pull opens all of it. */
import type { Attributes } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'

export interface StageSize {
  readonly variables: number
  /** Bytes of all sealed values and of the texts beside them. */
  readonly bytes: number
}

const limits = [
  { part: 'variables', name: 'variables', setting: 'ROLLKEY_STAGE_VARIABLES' },
  {
    part: 'bytes',
    name: 'bytes of sealed values, descriptions, labels, pins and rules',
    setting: 'ROLLKEY_STAGE_BYTES',
  },
] as const

/** Returns the bytes of the attributes that people write at any length, which count for the size of the stage. */
export function textBytesOf({ description = '', labels, rules, sources }: Attributes): number {
  const json = labels || rules || sources ? JSON.stringify({ labels, rules, sources }) : ''
  return Buffer.byteLength(description) + Buffer.byteLength(json)
}

function formatted(number: number): string {
  return number.toLocaleString('en-US')
}

/** Throws INVALID_REQUEST if the stage would grow beyond a limit. A stage that is already larger may shrink or keep its size. */
export function assertFits(before: StageSize, after: StageSize, max: StageSize): void {
  for (const { part, name, setting } of limits) {
    if (after[part] <= max[part] || after[part] <= before[part]) continue
    throw new ApiError(
      'INVALID_REQUEST',
      `The stage would have ${formatted(after[part])} ${name} (maximum ${formatted(max[part])}): delete variables, use another stage, or ask the operator to raise ${setting}.`,
    )
  }
}
