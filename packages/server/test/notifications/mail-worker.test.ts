/** Several nodes that send mails, on both stores, while the server fails and nodes are killed between sending and storing. */
import { describe, expect, test } from 'vitest'
import type { Timer } from '../../src/base/clock.ts'
import { mailRow } from '../../src/notifications/mail/kinds.ts'
import { MailWorker } from '../../src/notifications/mail/mail-worker.ts'
import { insertMail } from '../../src/storage/mails.ts'
import { sendIn, type Sql } from '../../src/storage/sql.ts'
import { TestClock } from '../../testkit/clock.ts'
import { isLong } from '../../testkit/long.ts'
import { Random } from '../../testkit/random.ts'
import { silent, temporaryShared, temporaryStore } from '../storage/temporary.ts'

const mails = isLong ? 400 : 40

describe.each([
  ['SQLite', temporaryStore],
  ['PostgreSQL', temporaryShared],
])('%s', (_, open) => {
  test('each mail is sent at least once, always under its Message-ID, and its link is erased', async () => {
    const random = new Random(44)
    const clock = new TestClock()
    const sql = await open(clock.now())
    const recipients = Array.from({ length: mails }, (__, number) => `person-${number}@example.com`)
    const link = () => Buffer.from('sealed')
    for (const email of recipients) {
      const about = { orgId: null, recipient: `email:${email}`, thing: email, content: { orgSlug: 'acme', url: '' } }
      await sql.tx((tx) => insertMail(tx, mailRow('invitation', { ...about, link, nowMs: clock.now() })))
    }
    /** The Message-IDs under which each person got a mail. */
    const received = new Map(recipients.map((email) => [email, [] as string[]]))

    function startNode() {
      const node = { tick: (): void => undefined, isKilled: false }
      const works: (() => void)[] = []
      const timer: Timer = { now: () => clock.now(), every: (__, work) => (works.push(work), () => undefined) }
      node.tick = () => works.forEach((work) => work())
      const ownSql: Sql = {
        all: (...args) => sql.all(...args),
        tx: async (...args) => {
          if (node.isKilled) throw new Error('killed')
          return sql.tx(...args)
        },
        atOnce: (send) => ownSql.tx((tx) => sendIn(tx, send)),
        alone: (work) => sql.alone(work),
        close: async () => undefined,
      }
      const worker = new MailWorker({
        sql: ownSql,
        smtp: {
          send: async ({ to, id }) => {
            if (random.once(10)) node.isKilled = true
            const fails = random.once(5)
            // The server may have taken what it did not acknowledge.
            if (!fails || random.once(2)) received.get(to)?.push(id)
            return fails ? { failure: 'ETIMEDOUT', of: 'server', isFinal: false } : undefined
          },
        },
        reader: { read: async () => false },
        audience: { of: async () => [] },
        links: { seal: link, open: () => 'https://rollkey.example.com/invitation#id=x' },
        resetLinkOf: async () => undefined,
        named: async () => new Map(),
        publicUrl: 'https://rollkey.example.com',
        clock: timer,
        log: silent,
        random: () => 0,
      })
      worker.start()
      return node
    }

    let nodes = [startNode(), startNode(), startNode()]
    const left = async () => sql.all<{ id: string }>('select id from mails where ended_at_ms is null')
    await expect
      .poll(
        async () => {
          nodes = nodes.map((node) => (node.isKilled ? startNode() : node))
          for (const node of nodes) node.tick()
          clock.advance(10_000)
          return left()
        },
        { interval: 1 },
      )
      .toEqual([])
    const rows = await sql.all<{ id: string; recipient: string; link: unknown; outcome: string }>('select * from mails')
    for (const { id, recipient, outcome, link: stored } of rows) {
      const ids = received.get(recipient.slice('email:'.length)) ?? []
      expect({ outcome, stored, ids: new Set(ids) }).toEqual({
        outcome: 'sent',
        stored: null,
        ids: new Set([`${id}@rollkey.example.com`]),
      })
    }
    const repeated = [...received.values()].filter((ids) => ids.length > 1)
    expect(repeated.length).toBeGreaterThan(0)
  })
})
