/** Reveals values to people: both sides of a roll, not metered, and recorded in the audit log before the answer is sent. */
import type { AuditFacts, RevealedEntry } from '@rollkey/contract'
import type { Actor } from '../storage/actor.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { appendAudit } from '../storage/audit.ts'
import type { Sql } from '../storage/sql.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import { assertRoll } from './changes/updates.ts'
import { describeEntry } from './list.ts'
import { openOrFail } from './opening.ts'
import { throwNotFound, type Stage, type StageRef, type Stages } from '../stages/stages.ts'
import { pinsOf } from './pins.ts'
import { entryFieldsOf } from './templates.ts'
import { openPlaintext } from './values.ts'

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
  ): Promise<{ variables: RevealedEntry[]; revision: number }> {
    const stage = (await this.#stages.current(stageRef)) ?? throwNotFound(names[0] ?? '')
    const stored = names.map((name) => stage.variables.get(name) ?? throwNotFound(name))
    const { revision } = stage
    const variables = openOrFail(stage, this.#log, () => stored.map((variable) => revealedEntry(stage, variable)))
    await this.#record(stageRef, actor, { names, revision })
    return { variables, revision }
  }

  /** Returns the pins of a roll. Throws VARIABLE_NOT_FOUND, INVALID_REQUEST or EVALUATION_FAILED without recording anything. */
  async pins(stageRef: StageRef, actor: Actor, name: string): Promise<{ a: string[]; b: string[]; revision: number }> {
    const stage = (await this.#stages.current(stageRef)) ?? throwNotFound(name)
    const variable = stage.variables.get(name) ?? throwNotFound(name)
    assertRoll(variable)
    const pins = openOrFail(stage, this.#log, () => pinsOf(stage.sealer, variable))
    await this.#record(stageRef, actor, { names: [name], revision: stage.revision, facts: { parts: ['pins'] } })
    return { a: [...pins.a], b: [...pins.b], revision: stage.revision }
  }

  async #record(
    { projectSlug, stageSlug }: StageRef,
    actor: Actor,
    what: { names: readonly string[]; revision: number; facts?: AuditFacts<'reveal'> },
  ): Promise<void> {
    const event = { action: 'reveal', nowMs: this.#clock.now(), projectSlug, stageSlug, ...what } as const
    await this.#sql.tx((tx) => appendAudit(tx, actor, event))
  }
}

/** Returns the variable with its values and, of a template, the texts. Throws CannotOpen. */
export function revealedEntry({ sealer }: Stage, variable: StoredVariable): RevealedEntry {
  const { pinned } = variable.attributes
  return {
    ...describeEntry(variable),
    ...entryFieldsOf(variable.kind, openPlaintext(sealer, variable)),
    ...(pinned && { pins: pinsOf(sealer, variable) }),
  } as RevealedEntry
}
