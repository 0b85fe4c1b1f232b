/** An exported audit log reveals any change of the file by itself. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseCheckpoint, publicKeyOf } from '../../src/audit/checkpoint.ts'
import { exportedLines } from '../../src/audit/export.ts'
import { BadExport, verifyExport, type ExportVerdict } from '../../src/audit/verify-export.ts'
import { openSqlite } from '../../src/storage/sqlite.ts'
import { entries, newLogbook, note, organization } from '../storage/logbook.ts'
import { useFolder } from '../../testkit/folder.ts'

type Line = Record<string, unknown>

const folder = useFolder()
let publicKey: KeyObject
/** Returns a head, entries 1 to 4 with a checkpoint, and entries 5 to 9 with a checkpoint. */
let whole: readonly Line[]
let fromFifth: readonly Line[]
const [fourth, fourthCheckpoint, fifth, last] = [4, 5, 6, 11] as const

beforeAll(async () => {
  const sql = openSqlite(path.join(folder, 'rollkey.db'))
  const book = await newLogbook(sql)
  await note(book, { action: 'reveal', names: ['Zoë-用户-🚀', 'line\u2028separator'], revision: 1 })
  await sql.tx((tx) => tx.script('delete from audit_checkpoints where seq = 8'))
  await book.checkpoints.signAll()
  await note(book, { action: 'sign-out' })
  publicKey = publicKeyOf(book.keyring)
  const linesFrom = async (seq: number): Promise<Line[]> => {
    const lines: Line[] = []
    for await (const line of exportedLines(sql, organization, seq)) lines.push(JSON.parse(line) as Line)
    return lines
  }
  whole = await linesFrom(1)
  fromFifth = await linesFrom(5)
  await sql.close()
})

function verdictOf(lines: readonly Line[], more: { key?: KeyObject; kept?: string } = {}): Promise<ExportVerdict> {
  const file = path.join(folder, 'log.jsonl')
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return verifyExport(file, more.key ?? publicKey, parseCheckpoint(more.kept ?? ''))
}

function changed(at: number, change: Line): Line[] {
  return whole.with(at, { ...whole[at], ...change })
}

test('an unchanged export is valid, both of the whole log and of its end', async () => {
  const { id: orgId, slug } = organization
  const counts = { beforeChain: 0, withoutDetails: 0, sinceCheckpoint: 0, problems: [] }
  const all = { organization: slug, orgId, ...counts, entries: entries + 1, checkpoints: 2 }
  expect(await verdictOf(whole)).toEqual(all)
  const kept = whole[fourthCheckpoint]?.['checkpoint'] as string
  expect(await verdictOf(whole, { kept })).toEqual({ ...all, checkpoints: 3 })
  expect(await verdictOf(fromFifth)).toEqual({ ...all, entries: entries - 3, checkpoints: 1 })
})

test('a line contains the entry of the API and what proves it', () => {
  expect(whole[fourthCheckpoint - 3]).toEqual({
    seq: 2,
    atMs: expect.any(Number),
    action: 'variable.update',
    actor: 'user_1',
    how: 'session',
    client: 'cli session laptop',
    projectSlug: 'shop',
    stageSlug: 'live',
    names: ['A', 'B'],
    nameCount: 2,
    revision: 1,
    facts: { parts: ['rules'] },
    requestId: expect.any(String),
    salt: expect.any(String),
    contentDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
    chain: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
})

describe('a change of the file is found:', () => {
  const fields = ['seq', 'atMs', 'nameCount', 'revision'].map((field): [string, Line] => [field, { [field]: 77 }])
  const texts = ['actor', 'how', 'client', 'action', 'projectSlug', 'requestId', 'salt', 'contentDigest']
  const changes = [...fields, ...texts.map((field): [string, Line] => [field, { [field]: 'x' }])]

  test.each([
    ...changes,
    ['names', { names: ['A'] }],
    ['facts', { facts: { parts: ['pins'] } }],
    ['older text', { subject: 'x' }],
    ['no details', { actor: undefined }],
  ] as [string, Line][])('another %s', async (_, change) => {
    expect((await verdictOf(changed(2, change))).problems).not.toEqual([])
  })

  test.each<[string, () => Line[]]>([
    ['an entry removed', () => whole.toSpliced(2, 1)],
    ['the first entry removed', () => whole.toSpliced(1, 1)],
    ['an entry twice', () => whole.toSpliced(2, 0, whole[2] ?? {})],
    ['two entries swapped', () => whole.with(2, whole[3] ?? {}).with(3, whole[2] ?? {})],
    ['the end cut off', () => whole.slice(0, -1)],
    ['all but the head cut off', () => whole.slice(0, 1)],
    ['the checkpoints removed', () => whole.filter((line) => !('checkpoint' in line))],
    [
      'a checkpoint at another place',
      () => whole.with(fourth, whole[fourthCheckpoint] ?? {}).with(fourthCheckpoint, whole[fourth] ?? {}),
    ],
    [
      'a checkpoint of other numbers',
      () => changed(last, { checkpoint: String(whole[last]?.['checkpoint']).replace('9.0.', '9.1.') }),
    ],
    ['another organization', () => changed(0, { orgId: 'org_2' })],
    ['a chain that is said to begin later', () => changed(0, { chainedFrom: 4 })],
    ['another beginning', () => changed(0, { before: { seq: 0, chain: 'x' } })],
    ['an entry before the beginning', () => [fromFifth[0] ?? {}, whole[fourth] ?? {}, ...fromFifth.slice(1)]],
  ])('%s', async (_, tampered) => {
    expect((await verdictOf(tampered())).problems).not.toEqual([])
  })

  test('the end after an older checkpoint cut off, with a kept checkpoint', async () => {
    const cut = whole.slice(0, fifth)
    expect((await verdictOf(cut)).problems).toEqual([])
    const kept = whole[last]?.['checkpoint'] as string
    expect((await verdictOf(cut, { kept })).problems).toMatchObject([{ seq: 9 }])
  })

  test('a log that another installation signed', async () => {
    const { publicKey: key } = generateKeyPairSync('ed25519')
    expect((await verdictOf(whole, { key })).problems.map(({ seq }) => seq)).toEqual([4, 9, 9])
  })
})

test.each<[number, unknown]>([
  [1, { format: 'something else' }],
  [3, { seq: 2 }],
  [3, null],
  [3, { checkpoint: 'x' }],
])('a line %i that is not valid in an export is refused with its number', async (number, line) => {
  await expect(verdictOf(whole.with(number - 1, line as Line))).rejects.toThrow(BadExport)
  await expect(verdictOf(whole.with(number - 1, line as Line))).rejects.toThrow(`Line ${number} is not valid`)
})

test('an empty file is refused', async () => {
  await expect(verdictOf([])).rejects.toThrow('Line 1 is not valid in an exported audit log')
})
