/** What a receiver of the audit stream has reveals any change by itself, but not that entries were sent again. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { KeyObject } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseCheckpoint, publicKeyOf } from '../../../src/audit/checkpoint.ts'
import { storedCheckpoints } from '../../../src/audit/records.ts'
import { checkpointMessage, entryMessage } from '../../../src/audit/stream/formats.ts'
import { isStreamed } from '../../../src/audit/verify-export.ts'
import { verifyStream, type StreamVerdict } from '../../../src/audit/verify-stream.ts'
import { entriesBetween } from '../../../src/storage/audit-chain.ts'
import { openSqlite } from '../../../src/storage/sqlite.ts'
import { entries, newLogbook, organization, other } from '../../storage/logbook.ts'
import { useFolder } from '../../../testkit/folder.ts'

const folder = useFolder()
let publicKey: KeyObject
/** Entries 1 to 4, a checkpoint, entries 5 to 8, a checkpoint, of each organization. */
let lines: readonly string[]
/** Those of the first organization. */
let own: readonly string[]
const [fifth, fourthCheckpoint] = [5, 4] as const

beforeAll(async () => {
  const sql = openSqlite(path.join(folder, 'rollkey.db'))
  const book = await newLogbook(sql)
  publicKey = publicKeyOf(book.keyring)
  const linesOf = async ({ id: orgId, slug }: typeof organization): Promise<string[]> => {
    const context = { orgId, organization: slug, format: 'json', version: '1.2.3' } as const
    const checkpoints = await storedCheckpoints(sql, orgId)
    let before = ''
    return (await entriesBetween(sql, orgId, 0, 99, 99)).flatMap((entry) => {
      const message = entryMessage(context, entry, before)
      before = entry.chain ?? ''
      const signed = checkpoints.filter(({ seq }) => seq === entry.seq).map((each) => checkpointMessage(context, each))
      return [message, ...signed].map(({ text }) => text)
    })
  }
  own = await linesOf(organization)
  const others = await linesOf(other)
  // One entry of each in turn.
  lines = own.flatMap((line, index) => [line, others[index] as string])
  await sql.close()
})

async function verdictOf(text: readonly string[], kept?: string): Promise<StreamVerdict> {
  const file = path.join(folder, 'audit.jsonl')
  writeFileSync(file, text.map((line) => `${line}\n`).join(''))
  return verifyStream(file, publicKey, parseCheckpoint(kept ?? ''))
}

const changed = (line: string | undefined, change: object): string => {
  const { unmapped, ...event } = JSON.parse(line ?? '') as { unmapped: object }
  return JSON.stringify({ ...event, unmapped: { ...unmapped, ...change } })
}
const checkpointOf = (line: string | undefined): string =>
  (JSON.parse(line ?? '') as { unmapped: { checkpoint: string } }).unmapped.checkpoint

describe('a file is valid', () => {
  test.each<[string, () => readonly string[], object]>([
    ['unchanged', () => lines, { organizations: 2, entries: 2 * entries, checkpoints: 4, otherLines: 0 }],
    ['from entry 5 on', () => own.slice(fifth), { entries: 4, checkpoints: 1 }],
    ['with entries that were sent again', () => [...own.slice(0, 3), ...own.slice(1), ...own.slice(7)], { entries: 8 }],
    [
      'with a checkpoint after later entries',
      () => [...own.slice(0, 4), ...own.slice(5, 8), own[4] ?? '', ...own.slice(8)],
      { checkpoints: 2 },
    ],
    ['with a part of a line', () => [own[0] ?? '', (own[1] ?? '').slice(0, 99), ...own.slice(1)], { otherLines: 1 }],
    ['of a syslog server', () => own.map((line) => `Nov 29 12:00:00 host rollkey[1]: ${line}`), { otherLines: 0 }],
    ['without an end that is signed', () => own.slice(0, -1), { sinceCheckpoint: 4 }],
    ['that begins with a checkpoint', () => own.slice(fourthCheckpoint), { entries: 4 }],
  ])('%s', async (_, text, counts) => {
    expect(await verdictOf(text())).toMatchObject({ sinceCheckpoint: 0, ...counts, problems: [] })
  })

  test('with a checkpoint that was kept', async () => {
    expect((await verdictOf(lines, checkpointOf(own[fourthCheckpoint]))).problems).toEqual([])
    expect((await verdictOf(lines, checkpointOf(own.at(-1)))).problems).toEqual([])
    expect(await isStreamed(path.join(folder, 'audit.jsonl'))).toBe(true)
    writeFileSync(path.join(folder, 'export.jsonl'), '{"format":"rollkey audit log 1"}\n')
    expect(await isStreamed(path.join(folder, 'export.jsonl'))).toBe(false)
  })
})

describe('a change of the file is found:', () => {
  const fields = ['atMs', 'nameCount', 'revision'].map((field): [string, object] => [field, { [field]: 77 }])
  const texts = ['actor', 'client', 'action', 'projectSlug', 'salt', 'contentDigest', 'chain']
  test.each([...fields, ...texts.map((field): [string, object] => [field, { [field]: 'x' }])])(
    'another %s',
    async (_, change) => {
      expect((await verdictOf([...own.slice(0, 1), changed(own[1], change), ...own.slice(2)])).problems).not.toEqual([])
      // Also of one that was sent again.
      expect((await verdictOf([...own.slice(0, 2), changed(own[1], change), ...own.slice(2)])).problems).not.toEqual([])
    },
  )

  test.each<[string, () => readonly string[]]>([
    ['an entry removed', () => own.toSpliced(2, 1)],
    ['two entries swapped', () => own.with(2, own[3] ?? '').with(3, own[2] ?? '')],
    ['an entry of another organization', () => own.with(2, changed(own[2], { orgId: other.id }))],
    [
      'a checkpoint of other numbers',
      () => own.with(4, changed(own[4], { checkpoint: checkpointOf(own[4]).replace('4.0.', '3.0.') })),
    ],
    ['a checkpoint of an entry that is missing', () => [...own.slice(0, 3), ...own.slice(4, 5)]],
    ['another beginning', () => [changed(own[fifth], { previousChain: 'x' }), ...own.slice(fifth + 1)]],
  ])('%s', async (_, text) => {
    expect((await verdictOf(text())).problems).not.toEqual([])
  })

  test('the end cut off, or a log missing, with a checkpoint that was kept', async () => {
    const kept = checkpointOf(own.at(-1))
    expect((await verdictOf(own.slice(0, 5), kept)).problems).toMatchObject([{ organization: 'acme', seq: 8 }])
    const others = lines.filter((line) => !own.includes(line))
    expect((await verdictOf(others, kept)).problems).toMatchObject([
      { problem: expect.stringMatching(/of none of these/) },
    ])
  })
})
