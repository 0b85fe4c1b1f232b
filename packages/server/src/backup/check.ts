import path from 'node:path'
import { publicKeyOf } from '../audit/checkpoint.ts'
import type { AuditRetention } from '../audit/retention.ts'
import { verifyAudit, type AuditVerdict } from '../audit/verify.ts'
import type { Clock } from '../base/clock.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { noProgress } from '../base/progress.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { sealedStates } from '../storage/history.ts'
import { integrityErrors } from '../storage/integrity.ts'
import { everyOrganization } from '../storage/organizations.ts'
import type { Sql } from '../storage/sql.ts'
import { everyStage } from '../storage/stages.ts'
import { undefinedIfCannotOpen } from '../variables/opening.ts'
import { unpackVariable } from '../stages/payloads.ts'
import { openPlaintext } from '../variables/values.ts'
import { assertSigned, BadBackup, type SignedManifest } from './archive.ts'
import { signingPurpose } from './create.ts'

/** Throws BadBackup if a database was damaged when it was backed up. */
export function assertUndamaged(names: readonly string[], folder: string): void {
  for (const name of names) {
    const [error] = integrityErrors(path.join(folder, name))
    if (error !== undefined) {
      throw new BadBackup(`${name} was already damaged when the backup was made (${error}): use an earlier backup.`)
    }
  }
}

export interface BackupCheck {
  readonly stages: number
  /** Number of states of variables, present and past. */
  readonly states: number
  /** Problems of the audit logs when the backup was made. They are not a reason to give up the values. */
  readonly auditProblems: AuditVerdict['problems']
}

interface CheckParts {
  readonly sql: Sql
  readonly keyring: Keyring
  readonly log: Log
  readonly clock: Clock
  readonly auditRetention: AuditRetention
}

/** Checks the signature of a restored store, and all that `checkContent` does. Throws BadBackup. */
export function checkBackup(parts: CheckParts, signed: SignedManifest, progress = noProgress): Promise<BackupCheck> {
  assertSigned(signed, parts.keyring.secretFor(signingPurpose))
  return checkContent(parts, progress)
}

/** Opens every value of a restored store, present and past, and verifies the audit logs. Throws BadBackup. */
export async function checkContent(
  { sql, keyring, log, clock, auditRetention: retention }: CheckParts,
  progress = noProgress,
): Promise<BackupCheck> {
  const stages = await everyStage(sql)
  let states = 0
  let damaged = 0
  for (const [index, stage] of stages.entries()) {
    const sealer = await keyring.sealerOf(stage)
    for (const { name, kind, sealed } of await sealedStates(sql, stage.stageId)) {
      states++
      undefinedIfCannotOpen(
        () => {
          const variable = { name, kind, ...unpackVariable(kind, sealed) }
          openPlaintext(sealer, variable)
        },
        (error) => {
          damaged++
          log.error('value of the backup cannot be opened', { stageId: stage.stageId, reason: reasonOf(error) })
        },
      )
    }
    progress(index + 1, stages.length)
  }
  if (damaged > 0)
    throw new BadBackup(`${damaged} of ${states} values of the backup cannot be opened: use another backup.`)
  const verification = { sql, publicKey: publicKeyOf(keyring), retention, nowMs: clock.now() }
  const { problems } = await verifyAudit(verification, await everyOrganization(sql))
  return { stages: stages.length, states, auditProblems: problems }
}
