import { StaleRead, type ReadValidator } from '../../consistency/read-validator.ts'
import type { Step } from './step.ts'

/** Validates what the request has read from memory, before its handler has an effect. Throws StaleRead. */
export const confirmReads =
  (validator: ReadValidator): Step =>
  async ({ reads }) => {
    if (!reads.isValidated && !(await validator.validate(reads))) throw new StaleRead()
  }
