/** What the entries of an audit log are as events. */
import { expect, test } from 'vitest'
import { eventsOf, tellable, type ReadEvent } from '../../src/notifications/events.ts'
import type { AuditRow } from '../../src/storage/audit.ts'
import { runSeed, seeded } from '../../testkit/random.ts'

const place = { orgId: 'org_1', orgSlug: 'acme', publicUrl: 'https://rollkey.example.com' }

function row(seq: number, more: Partial<AuditRow>): AuditRow {
  return {
    seq,
    at_ms: 0,
    action: 'variable.update',
    actor: 'ada',
    how: 'provider',
    client: 'dashboard',
    project_slug: 'shop',
    stage_slug: 'prod',
    names: '\nA\n',
    name_count: 1,
    revision: 1,
    subject: null,
    request_id: null,
    ...more,
  }
}

const outline = (events: readonly ReadEvent[]) =>
  events.map(({ id, seq, event: { type, data } }) => [id, seq, type, data.revision, data.names])

test('what one revision did is one event, and an entry without details tells nothing', () => {
  const rows = [
    row(1, { action: 'variable.create', names: '\nB\n' }),
    row(2, {}),
    row(3, { action: 'change.apply', names: null, subject: '{"changeId":"chg_1"}' }),
    row(4, { revision: 2, names: null, name_count: 150 }),
    row(5, { how: '', revision: 3 }),
    row(6, { action: 'reveal' }),
    row(7, { stage_slug: 'dev', revision: 2 }),
  ]
  const events = eventsOf(place, rows)
  expect(outline(events)).toEqual([
    ['evt_org_1_1', 2, 'variables.changed', 1, ['B', 'A']],
    ['evt_org_1_3', 3, 'change.applied', 1, undefined],
    ['evt_org_1_4', 4, 'variables.changed', 2, undefined],
    ['evt_org_1_7', 7, 'variables.changed', 2, ['A']],
  ])
  expect(events[1]?.event.data.url).toBe('https://rollkey.example.com/o/acme/changes/chg_1?project=shop&stage=prod')
  expect(events[2]?.event.data.nameCount).toBe(150)
})

test('the events are the same, however the log is divided into pages', () => {
  const random = seeded(runSeed)
  const actions = ['variable.create', 'variable.update', 'chance', 'change.apply', 'reveal'] as const
  let revision = 1
  const rows = Array.from({ length: 2_000 }, (_, index) => {
    if (random() < 0.5) revision++
    return row(index + 1, { action: actions[Math.floor(random() * actions.length)] ?? 'reveal', revision })
  })
  const whole = outline(eventsOf(place, rows))
  // A revision has at most a few entries, which always fit a page.
  for (const pageSize of [30, 50, 100, 1_000]) {
    const events: unknown[] = []
    for (let position = 0; position < rows.length;) {
      const page = tellable(rows.slice(position, position + pageSize), pageSize)
      events.push(...outline(eventsOf(place, page)))
      position += page.length
    }
    expect(events).toEqual(whole)
  }
})
