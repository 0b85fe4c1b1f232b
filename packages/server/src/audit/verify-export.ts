/** Whether an exported audit log is what was written, with nothing but the file and the public key. */
import type { KeyObject } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { ChainCheck, type Findings } from './chain-check.ts'
import type { BareCheckpoint } from './checkpoint.ts'
import { headLine, recordIn } from './export.ts'
import type { AuditRecord } from './records.ts'

/** A file that cannot be taken for an export: a sentence. */
export class BadExport extends Error {}

export interface ExportVerdict extends Findings {
  readonly organization: string
  readonly orgId: string
}

/** `node:readline` would split at more than line feeds, and names may have such characters. */
async function* linesIn(file: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(file, 'utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

function readLine<T>(number: number, line: string, read: (value: unknown) => T): T {
  try {
    return read(JSON.parse(line))
  } catch {
    throw new BadExport(`Line ${number} is none of an exported audit log.`)
  }
}

/** `kept`: a checkpoint that was kept elsewhere. Throws BadExport. */
export async function verifyExport(
  file: string,
  publicKey: KeyObject,
  kept: BareCheckpoint | undefined,
): Promise<ExportVerdict> {
  const lines = linesIn(file)
  const { value: first } = await lines.next()
  const { orgId, organization, chainedFrom, before } = readLine(1, String(first), (value) => headLine.parse(value))
  const check = new ChainCheck({ orgId, publicKey, chainedFrom, before, mayBeDeleted: () => true })
  let waiting = kept && { orgId, ...kept }
  const add = (record: AuditRecord): void => {
    if (waiting && 'entry' in record && record.entry.seq > waiting.seq) {
      check.add({ checkpoint: waiting })
      waiting = undefined
    }
    check.add(record)
  }
  let number = 1
  for await (const line of lines) add(readLine(++number, line, (value) => recordIn(orgId, value)))
  if (waiting) check.add({ checkpoint: waiting })
  check.endsSigned()
  return { organization, orgId, ...check.findings }
}
