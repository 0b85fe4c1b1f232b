/** Verifies an exported audit log with only the file and the public key. */
import type { KeyObject } from 'node:crypto'
import { ChainCheck, type Findings } from './chain-check.ts'
import type { BareCheckpoint } from './checkpoint.ts'
import { headLine, parseRecord, parseStreamed } from './export.ts'
import { readLines } from './read-lines.ts'
import type { AuditRecord } from './records.ts'

/** An error about a file that is not an export. Its message is shown to the operator. */
export class BadExport extends Error {}

/** A syslog server may write other messages first. */
const linesToLookAt = 100

export interface ExportVerdict extends Findings {
  readonly organization: string
  readonly orgId: string
}

function parseLine<T>(number: number, line: string, read: (value: unknown) => T): T {
  try {
    return read(JSON.parse(line))
  } catch {
    throw new BadExport(
      `Line ${number} is not valid in an exported audit log: use the unchanged file that audit export wrote.`,
    )
  }
}

/** Verifies the file. `kept` is a checkpoint that was kept elsewhere. Throws BadExport. */
export async function verifyExport(
  file: string,
  publicKey: KeyObject,
  trusted: BareCheckpoint | undefined,
): Promise<ExportVerdict> {
  const lines = readLines(file)
  const { value: first } = await lines.next()
  const { orgId, organization, chainedFrom, before } = parseLine(1, String(first), (value) => headLine.parse(value))
  const check = new ChainCheck({ orgId, publicKey, chainedFrom, before, mayBeDeleted: () => true })
  let waiting = trusted && { orgId, ...trusted }
  const add = (record: AuditRecord): void => {
    if (waiting && 'entry' in record && record.entry.seq > waiting.seq) {
      check.add({ checkpoint: waiting })
      waiting = undefined
    }
    check.add(record)
  }
  let number = 1
  for await (const line of lines) add(parseLine(++number, line, (value) => parseRecord(orgId, value)))
  if (waiting) check.add({ checkpoint: waiting })
  check.checkEndIsSigned()
  return { organization, orgId, ...check.findings }
}

/** Returns whether one of the first lines of a file is of the audit stream. */
export async function isStreamed(file: string): Promise<boolean> {
  let number = 0
  for await (const line of readLines(file)) {
    try {
      parseStreamed(line)
      return true
    } catch {}
    if (++number === linesToLookAt) break
  }
  return false
}
