/** Which checkpoints the log of the service shows, and when. */
import { expect, test } from 'vitest'
import { Checkpoints } from '../../src/audit/checkpoints.ts'
import { createLog } from '../../src/base/log.ts'
import { newLogbook, note, organization, other, type Logbook } from '../storage/logbook.ts'
import { temporaryStore } from '../storage/temporary.ts'

const minute = 60_000

interface Line {
  readonly level: string
  readonly msg: string
  readonly orgId: string
  readonly checkpoint: string
}

async function logged(): Promise<{
  book: Logbook
  checkpoints: Checkpoints
  lines: Line[]
  announced: () => string[]
}> {
  const book = await newLogbook(await temporaryStore(0))
  const lines: Line[] = []
  const log = createLog('debug', { write: (line) => lines.push(JSON.parse(line) as Line) })
  const checkpoints = new Checkpoints({ sql: book.sql, keyring: book.keyring, clock: book.clock, log })
  const announced = (): string[] => lines.filter(({ level }) => level === 'info').map(({ checkpoint }) => checkpoint)
  return { book, checkpoints, lines, announced }
}

async function grow(book: Logbook, orgId = organization.id): Promise<void> {
  await note(book, { action: 'organization.update' }, orgId)
}

test('an active audit log appears once an hour at info, and each minute at debug', async () => {
  const { book, checkpoints, lines, announced } = await logged()
  for (let minutes = 0; minutes < 150; minutes++) {
    await grow(book)
    await checkpoints.signAll()
    book.clock.advance(minute)
  }
  expect(lines.filter(({ level, msg }) => level === 'debug' && msg === 'new audit checkpoint')).toHaveLength(150)
  expect(announced()).toHaveLength(3)
})

test('each organization has a separate hour', async () => {
  const { book, checkpoints, lines } = await logged()
  await grow(book)
  await checkpoints.signAll()
  await grow(book, other.id)
  await checkpoints.signAll()
  const shown = lines.filter(({ level }) => level === 'info').map(({ orgId }) => orgId)
  expect(shown).toEqual([organization.id, other.id])
})

test('the newest checkpoint appears an hour after the last line, even if the audit log has not grown since', async () => {
  const { book, checkpoints, lines, announced } = await logged()
  for (let minutes = 0; minutes < 3; minutes++) {
    await grow(book)
    await checkpoints.signAll()
  }
  expect(announced()).toHaveLength(1)
  book.clock.advance(60 * minute)
  await checkpoints.signAll()
  expect(announced()).toHaveLength(2)
  expect(announced().at(-1)).toBe(lines.filter(({ level }) => level === 'debug').at(-1)?.checkpoint)
  await checkpoints.signAll()
  expect(announced()).toHaveLength(2)
})

test('shutdown logs the newest checkpoint of each audit log once', async () => {
  const { book, checkpoints, lines, announced } = await logged()
  await grow(book)
  await checkpoints.signAll()
  await grow(book)
  await checkpoints.signAll()
  await checkpoints.finish()
  expect(announced()).toHaveLength(2)
  expect(announced().at(-1)).toBe(lines.filter(({ level }) => level === 'debug').at(-1)?.checkpoint)
  await checkpoints.finish()
  expect(announced()).toHaveLength(2)
})

test('a clock that was set back does not suppress checkpoints in the log', async () => {
  const { book, checkpoints, announced } = await logged()
  await grow(book)
  await checkpoints.signAll()
  book.clock.advance(-600 * minute)
  await grow(book)
  await checkpoints.signAll()
  expect(announced()).toHaveLength(2)
})
