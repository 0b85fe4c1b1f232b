/** Proposed values that people see without a reveal. Like those of the stage, they are neither metered nor audited. */
import { isMoreExposed, type Attributes, type Response } from '@rollkey/contract'
import type { Log } from '../base/log.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { keyIdOfPacked } from '../stages/payloads.ts'
import type { Stage } from '../stages/stages.ts'
import { changeValuesOf, type ChangeRow, type ChangeValueRow } from '../storage/changes.ts'
import { latestAttributes } from '../storage/history.ts'
import { readInPages } from '../storage/picked.ts'
import type { Reader } from '../storage/sql.ts'
import { loggingFailures, undefinedIfCannotOpen } from '../variables/opening.ts'
import { hasDigests, openProposed } from '../variables/proposed.ts'
import { entryFieldsOf } from '../variables/templates.ts'
import { contentOf, isPut, type ProposedPut } from './content.ts'

/** Maximum size of the values that a page, which asks every few seconds, shows without a reveal. */
const maxBytes = 262_144

/** Values by the fields of a write. */
type ValueTexts = NonNullable<Response<'changeShow'>['items'][number]['plain']>

interface Parts {
  readonly sql: Reader
  readonly keyring: Keyring
  readonly log: Log
}

/**
 * Returns the values that a change proposes, by name, without those that are secret, were secret when it was proposed or are secret in the
 * stage: a proposal must not show what only its application would. Leaves out what does not open, what belongs to another edit, and what exceeds
 * `maxBytes`.
 */
export async function plainProposals(
  { sql, keyring, log }: Parts,
  stage: Stage,
  row: ChangeRow,
): Promise<ReadonlyMap<string, ValueTexts>> {
  const puts = await plainPuts(sql, stage, row)
  if (puts.length === 0) return new Map()
  const rows = new Map((await changeValuesOf(sql, row.id)).map((value) => [value.name, value]))
  const values = fitting(puts.flatMap((put) => rows.get(put.name) ?? []))
  const keyIds = [...values.values()].map(({ sealed }) => keyIdOfPacked(sealed))
  const sealer = await keyring.sealerOf(stage, keyIds)
  const digest = keyring.digesterOf(stage.orgId)
  return loggingFailures(stage, log, (onFailure) => {
    const opened = puts.flatMap((put) => {
      const { name, kind } = put
      const value = values.get(name)
      const open =
        value &&
        undefinedIfCannotOpen(() => openProposed(sealer, { changeId: row.id, name, kind }, value.sealed), onFailure)
      // An edit may have replaced the values after the content was read.
      return open && hasDigests(digest, put, open) ? [[name, entryFieldsOf(kind, open)] as const] : []
    })
    return new Map(opened)
  })
}

/** Returns what a change creates or updates without touching a secret. */
async function plainPuts(sql: Reader, stage: Stage, row: ChangeRow): Promise<ProposedPut[]> {
  const { items, source } = contentOf(row)
  const puts = items
    .filter(isPut)
    .filter(({ attributes, raisesExposure }) => isMoreExposed(attributes.exposure) && raisesExposure !== true)
  if (puts.length === 0) return []
  const restored = source.restore === undefined ? [] : puts.map(({ name }) => name)
  const hidden = await secretNames(sql, stage, restored)
  const plain = puts.filter(({ name, action }) => {
    const stored = stage.variables.get(name)
    if (stored) return isMoreExposed(stored.attributes.exposure)
    return action === 'create' && !hidden.has(name)
  })
  const proposed = new Map(plain.map((put) => [put.name, put]))
  // A source may have been made secret since.
  const isPlain = (name: string): boolean => {
    const put = proposed.get(name)
    if (put) return (put.attributes.sources ?? []).every(isPlain)
    return !named.has(name) && isMoreExposed(stage.variables.get(name)?.attributes.exposure)
  }
  const named = new Set(puts.map(({ name }) => name))
  return plain.filter(({ name }) => isPlain(name))
}

/** Returns those of the variables that are secret or were when they were deleted: a restore could bring back what was hidden for good. */
async function secretNames(sql: Reader, { stageId }: Stage, names: readonly string[]): Promise<ReadonlySet<string>> {
  const latest = await readInPages(names, (page) => latestAttributes(sql, stageId, page))
  const secrets = latest.filter(({ facets }) => !isMoreExposed((JSON.parse(facets) as Attributes).exposure))
  return new Set(secrets.map(({ name }) => name))
}

/** Returns the values by name, up to `maxBytes`. */
function fitting(values: readonly ChangeValueRow[]): ReadonlyMap<string, ChangeValueRow> {
  const fit = new Map<string, ChangeValueRow>()
  let bytes = 0
  for (const value of values) {
    if (bytes + value.sealed.length > maxBytes) continue
    bytes += value.sealed.length
    fit.set(value.name, value)
  }
  return fit
}
