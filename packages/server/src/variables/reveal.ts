/** Reveals values to people: both sides of a roll, not metered, and recorded in the audit log before the answer is sent. */
import { valueFieldsOf, type WriteEntry } from '@rollkey/contract'
import type { Actor } from '../storage/actor.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { appendAudit } from '../storage/audit.ts'
import type { Sql } from '../storage/sql.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import { describeVariable } from './list.ts'
import { openOrFail } from './opening.ts'
import { throwNotFound, type Stage, type StageRef, type Stages } from '../stages/stages.ts'
import { openValues } from './values.ts'

export class Reveal {
  readonly #sql: Sql
  readonly #stages: Stages
  readonly #clock: Clock
  readonly #log: Log

  constructor(parts: { sql: Sql; stages: Stages; clock: Clock; log: Log }) {
    this.#sql = parts.sql
    this.#stages = parts.stages
    this.#clock = parts.clock
    this.#log = parts.log
  }

  /** Returns the values in the order of `names`. Throws VARIABLE_NOT_FOUND or EVALUATION_FAILED without recording anything. */
  async show(
    stageRef: StageRef,
    actor: Actor,
    names: readonly string[],
  ): Promise<{ variables: WriteEntry[]; revision: number }> {
    const stage = (await this.#stages.current(stageRef)) ?? throwNotFound(names[0] ?? '')
    const stored = names.map((name) => stage.variables.get(name) ?? throwNotFound(name))
    const { revision } = stage
    const variables = openOrFail(stage, this.#log, () => stored.map((variable) => asWriteEntry(stage, variable)))
    const { projectSlug, stageSlug } = stageRef
    const event = { action: 'reveal', nowMs: this.#clock.now(), projectSlug, stageSlug, names, revision } as const
    await this.#sql.tx((tx) => appendAudit(tx, actor, event))
    return { variables, revision }
  }
}

/** Returns the variable as a write would state it. Throws CannotOpen. */
export function asWriteEntry({ sealer }: Stage, variable: StoredVariable): WriteEntry {
  const values = openValues(sealer, variable).map(String)
  return { ...describeVariable(variable), ...valueFieldsOf(variable.kind, values) } as WriteEntry
}
