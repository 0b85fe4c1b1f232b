/** Verifies the audit logs in the store. */
import type { KeyObject } from 'node:crypto'
import { headOf } from '../storage/audit-chain.ts'
import type { OrganizationRow } from '../storage/organizations.ts'
import type { Reader } from '../storage/sql.ts'
import { ChainCheck, type Findings, type ChainProblem } from './chain-check.ts'
import type { BareCheckpoint } from './checkpoint.ts'
import { recordsBetween, storedCheckpoints } from './records.ts'
import { detailsKeptSince, type AuditRetention } from './retention.ts'

interface VerifyParts {
  readonly sql: Reader
  readonly publicKey: KeyObject
  readonly retention: AuditRetention
  readonly nowMs: number
}

type Counts = Omit<Findings, 'problems'>

export interface AuditVerdict extends Counts {
  readonly organizations: number
  readonly problems: readonly ({ readonly organization: string } & ChainProblem)[]
}

/** Verifies the logs of the organizations. `kept` is a checkpoint of one of them that was kept elsewhere. */
export async function verifyAudit(
  parts: VerifyParts,
  organizations: readonly OrganizationRow[],
  trusted?: BareCheckpoint,
): Promise<AuditVerdict> {
  const sums = { entries: 0, beforeChain: 0, withoutDetails: 0, checkpoints: 0, sinceCheckpoint: 0 }
  const problems: AuditVerdict['problems'][number][] = []
  for (const { id, slug } of organizations) {
    const { problems: found, ...counts } = await verifyLog(parts, id, trusted)
    for (const name of Object.keys(sums) as (keyof Counts)[]) sums[name] += counts[name]
    problems.push(...found.map((problem) => ({ organization: slug, ...problem })))
  }
  return { organizations: organizations.length, ...sums, problems }
}

async function verifyLog(
  { sql, publicKey, retention, nowMs }: VerifyParts,
  orgId: string,
  trusted: BareCheckpoint | undefined,
): Promise<Findings> {
  const stored = await storedCheckpoints(sql, orgId)
  const checkpoints = trusted ? [...stored, { orgId, ...trusted }] : stored
  // Read after the checkpoints, so that no checkpoint covers an entry after this head.
  const head = await headOf(sql, orgId)
  if (!head) throw new Error('an organization disappeared while its audit log was verified')
  const check = new ChainCheck({
    orgId,
    publicKey,
    chainedFrom: head.chained_from,
    before: { seq: 0, chain: '' },
    mayBeDeleted: (action, atMs) => atMs < detailsKeptSince(action, retention, nowMs),
  })
  const all = { after: Number.MIN_SAFE_INTEGER, upTo: head.last_seq, checkpoints }
  for await (const record of recordsBetween(sql, orgId, all)) check.add(record)
  check.checkEnd(head)
  return check.findings
}
