/** Explains which step of a roll decides. It opens no value, so it is not a billing event. */
import { isRandom, stepText, type DecidingStep, type Response } from '@rollkey/contract'
import type { Log } from '../base/log.ts'
import { throwNotFound, type Stage } from '../stages/stages.ts'
import { assertRoll } from '../variables/changes/updates.ts'
import { choose, type Dice, type RollRequest } from './choose.ts'
import { buildPinIndexes, pinnedSideOf } from './pin-index.ts'

export class Explanation {
  readonly #dice: Dice
  readonly #log: Log

  constructor({ dice, log }: { dice: Dice; log: Log }) {
    this.#dice = dice
    this.#log = log
  }

  /** Returns the step that decides. Throws VARIABLE_NOT_FOUND, INVALID_REQUEST or EVALUATION_FAILED. */
  async explain(stage: Stage, name: string, roll: RollRequest): Promise<Response<'explain'>> {
    const variable = stage.variables.get(name) ?? throwNotFound(name)
    assertRoll(variable)
    await buildPinIndexes(stage, [variable], this.#log)
    const { decision, step } = choose(variable, roll, this.#dice, pinnedSideOf(variable, roll.seed))
    const explained = withoutRandom(step as DecidingStep, roll)
    const { by, ...more } = explained
    const isKnown = more.chance === undefined || more.unit !== undefined
    const { revision } = stage
    return { name, ...(isKnown && { decision }), step: by, ...more, text: stepText(explained), revision }
  }
}

/** Returns the step without a bucket that would be another one the next time. */
function withoutRandom(step: DecidingStep, roll: RollRequest): DecidingStep {
  if (!isRandom(roll)) return step
  const { unit: _, ...rest } = step
  return rest
}
