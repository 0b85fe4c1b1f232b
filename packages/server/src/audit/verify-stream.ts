/** Verifies what a receiver of the audit stream has written: the logs of several organizations, with entries that were sent again. */
import type { KeyObject } from 'node:crypto'
import { ChainCheck, type ChainProblem, type Findings } from './chain-check.ts'
import { hasValidSignature, type BareCheckpoint } from './checkpoint.ts'
import { parseStreamed, type StreamedRecord } from './export.ts'
import type { AuditRecord } from './records.ts'
import { readLines } from './read-lines.ts'

export interface StreamVerdict extends Omit<Findings, 'problems'> {
  readonly organizations: number
  /** Lines that are not of the audit stream, such as a part of one that was written again. */
  readonly otherLines: number
  readonly problems: readonly ({ readonly organization: string } & ChainProblem)[]
}

interface LogCheck {
  readonly organization: string
  readonly check: ChainCheck
}

/** Yields the lines of the audit stream; undefined for others. */
async function* streamedRecords(file: string): AsyncGenerator<StreamedRecord | undefined> {
  for await (const line of readLines(file)) {
    let record: StreamedRecord | undefined
    try {
      record = parseStreamed(line)
    } catch {}
    yield record
  }
}

/** Verifies the file. `kept` is a checkpoint that was kept elsewhere. */
export async function verifyStream(
  file: string,
  publicKey: KeyObject,
  kept: BareCheckpoint | undefined,
): Promise<StreamVerdict> {
  const chainedFrom = await beginningsOf(file)
  const logs = new Map<string, LogCheck>()
  let [otherLines, waiting] = [0, kept]
  for await (const streamed of streamedRecords(file)) {
    if (!streamed) {
      otherLines++
      continue
    }
    const { orgId, organization, previousChain, record } = streamed
    let log = logs.get(orgId)
    if (!log) {
      // Without an entry before it, a checkpoint covers nothing that is here.
      if (!('entry' in record)) continue
      const before = { seq: record.entry.seq - 1, chain: previousChain }
      const start = { orgId, publicKey, chainedFrom: chainedFrom.get(orgId) ?? 0, before }
      log = { organization, check: new ChainCheck({ ...start, mayBeDeleted: () => true, isStream: true }) }
      logs.set(orgId, log)
    }
    if (waiting && passes(record, waiting) && hasValidSignature({ orgId, ...waiting }, publicKey)) {
      log.check.add({ checkpoint: { orgId, ...waiting } })
      waiting = undefined
    }
    log.check.add(record)
  }
  return verdictOf(logs, { otherLines, waiting, publicKey })
}

/** Returns whether an entry comes after what a checkpoint covers. */
function passes(record: AuditRecord, { seq }: BareCheckpoint): boolean {
  return 'entry' in record && record.entry.seq > seq
}

/** Returns where the chain of each log begins, which its checkpoints state. */
async function beginningsOf(file: string): Promise<Map<string, number>> {
  const chainedFrom = new Map<string, number>()
  for await (const streamed of streamedRecords(file)) {
    if (streamed && 'checkpoint' in streamed.record && !chainedFrom.has(streamed.orgId))
      chainedFrom.set(streamed.orgId, streamed.record.checkpoint.chainedFrom)
  }
  return chainedFrom
}

function verdictOf(
  logs: ReadonlyMap<string, LogCheck>,
  { otherLines, waiting, publicKey }: { otherLines: number; waiting: BareCheckpoint | undefined; publicKey: KeyObject },
): StreamVerdict {
  const sums = { entries: 0, beforeChain: 0, withoutDetails: 0, checkpoints: 0, sinceCheckpoint: 0 }
  const problems: StreamVerdict['problems'][number][] = []
  let isCovered = waiting === undefined
  for (const [orgId, { organization, check }] of logs) {
    if (waiting && hasValidSignature({ orgId, ...waiting }, publicKey)) {
      check.add({ checkpoint: { orgId, ...waiting } })
      isCovered = true
    }
    const { problems: found, ...counts } = check.findings
    for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += counts[name]
    problems.push(...found.map((problem) => ({ organization, ...problem })))
  }
  if (waiting && !isCovered)
    problems.push({ organization: '', seq: waiting.seq, problem: 'the given checkpoint is of none of these logs' })
  return { organizations: logs.size, otherLines, ...sums, problems }
}
