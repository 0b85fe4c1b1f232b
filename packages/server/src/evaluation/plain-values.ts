/** The values of a stage that are not secret, for people: both sides of a roll, neither metered nor audited. */
import { isMoreExposed, kinds, type RevealedEntry } from '@rollkey/contract'
import type { Log } from '../base/log.ts'
import { largeBytes, TimeSlices } from '../concurrency/time-slices.ts'
import type { Stage } from '../stages/stages.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import { describeEntry } from '../variables/list.ts'
import { loggingFailures, undefinedIfCannotOpen, type OnFailure } from '../variables/opening.ts'
import { entryFieldsOf } from '../variables/templates.ts'
import { openTemplate } from '../variables/values.ts'
import { openEachOnce, openSome } from './open-values.ts'
import { reserve, type EvaluationRequest } from './evaluate.ts'

export class PlainValues {
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  /**
   * Returns the variables with their values, in wire order and without those that do not open. Throws
   * PAYLOAD_TOO_LARGE or RATE_LIMITED.
   */
  async list(
    stage: Stage,
    request: Pick<EvaluationRequest, 'reserve'>,
  ): Promise<{ variables: RevealedEntry[]; revision: number }> {
    const plain = [...stage.variables.values()].filter(({ attributes }) => isMoreExposed(attributes.exposure))
    const bytes = plain.reduce((sum, { size }) => sum + size, 0)
    await reserve(bytes, request)
    const isLarge = bytes > largeBytes
    const variables = await loggingFailures(stage, this.#log, (onFailure) => openAll(stage, plain, isLarge, onFailure))
    return { variables, revision: stage.revision }
  }
}

async function openAll(
  stage: Stage,
  variables: readonly StoredVariable[],
  isLarge: boolean,
  onFailure: OnFailure,
): Promise<RevealedEntry[]> {
  const count = variables.reduce((sum, { payloads }) => sum + payloads.length, 0)
  const open = isLarge ? openEachOnce(stage) : openSome(stage, count)
  const slices = new TimeSlices()
  const opened: RevealedEntry[] = []
  for (const variable of variables) {
    const { kind } = variable
    const fields = undefinedIfCannotOpen(() => {
      const values = kinds[kind].values.map((_, index) => open(variable, index))
      return entryFieldsOf(kind, { values, template: openTemplate(stage.sealer, variable) })
    }, onFailure)
    if (fields) opened.push({ ...describeEntry(variable), ...fields } as RevealedEntry)
    if (isLarge && slices.isOver) await slices.next()
  }
  return opened
}
