/** Several nodes that send mails, on both stores, while the server fails and nodes are killed between sending and storing. */
import { describe, expect, test } from 'vitest'
import { mailRow } from '../../src/notifications/mail/kinds.ts'
import { MailOutbox } from '../../src/notifications/mail/mail-outbox.ts'
import { insertMail } from '../../src/storage/mails.ts'
import { TestClock } from '../../testkit/clock.ts'
import { isLong } from '../../testkit/long.ts'
import { OutboxNode } from '../../testkit/outbox-node.ts'
import { Random } from '../../testkit/random.ts'
import { temporaryShared, temporaryStore } from '../storage/temporary.ts'

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

    const startNode = () =>
      new OutboxNode(sql, clock, (parts, node) => [
        new MailOutbox({
          ...parts,
          smtp: {
            send: async ({ to, id }) => {
              if (random.once(10)) node.isKilled = true
              const fails = random.once(5)
              // The server may have taken what it did not acknowledge.
              if (!fails || random.once(2)) received.get(to)?.push(id)
              return fails ? { failure: 'ETIMEDOUT', of: 'server', isFinal: false } : undefined
            },
          },
          audience: { of: async () => [] },
          links: { seal: link, open: () => 'https://rollkey.example.com/invitation#id=x' },
          resetLinkOf: async () => undefined,
          named: async () => new Map(),
          publicUrl: 'https://rollkey.example.com',
        }),
      ])

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
