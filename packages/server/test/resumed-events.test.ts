/** Tests that a stream of a project with many stages continues where it ended, on every node and after a restart. */
import { expect, onTestFinished, test } from 'vitest'
import { secret } from '../testkit/entries.ts'
import { EventReader, useFrequentPolls, type ServerEvent } from '../testkit/events.ts'
import { newTenant, tenantAt, useTestEnv, write, type TestTenant } from '../testkit/test-env.ts'

useFrequentPolls()
const testEnv = useTestEnv()

/** Slugs as preview environments have them. Ten of them are too many for a cursor that names them. */
const slugs = Array.from({ length: 10 }, (_, index) => `preview-of-a-branch-with-a-long-name-${index}`)
const last = slugs.at(-1) as string

async function newProject(): Promise<TestTenant> {
  const tenant = await newTenant(testEnv)
  const { orgSlug, projectSlug } = tenant.at
  const stages = slugs.map((stageSlug) => ({ stageSlug }))
  await testEnv.client.must('projectCreate', { orgSlug, projectSlug, stages }, { token: tenant.token })
  return tenantAt(tenant, { stageSlug: last })
}

async function open({ at, token }: TestTenant, since?: string, url = testEnv.app.url): Promise<EventReader> {
  const query = { orgSlug: at.orgSlug, projectSlug: at.projectSlug, ...(since !== undefined && { since }) }
  const reader = await EventReader.open(url, query, token)
  onTestFinished(() => reader.close())
  return reader
}

function textOf(event: ServerEvent | undefined): string {
  return [event?.event, ...Object.values((event?.data ?? {}) as object)].join(' ')
}

/** Reads an event that has an id, and expects that the id fits into a header. */
async function next(reader: EventReader): Promise<[text: string, id: string]> {
  const event = await reader.next()
  expect(event?.id?.length).toBeLessThanOrEqual(256)
  return [textOf(event), event?.id ?? '']
}

test('a cursor is short and says whether anything was missed, on every node and after a restart', async () => {
  const tenant = await newProject()
  const reader = await open(tenant)
  const [, start] = await next(reader)
  await write(testEnv, tenant, [secret('A', '1')])
  const [event, seen] = await next(reader)
  expect([event, seen === start]).toEqual([`revision ${last} 2 A`, false])
  reader.close()
  for (const isRestarted of [false, true]) {
    if (isRestarted) await testEnv.restart()
    for (const url of testEnv.app.urls) {
      expect(await next(await open(tenant, seen, url))).toEqual(['', seen])
      expect(await next(await open(tenant, start, url))).toEqual(['reset', seen])
    }
  }
  await write(testEnv, tenant, [secret('B', '1')])
  for (const url of testEnv.app.urls) {
    const behind = await open(tenant, seen, url)
    const [reset, now] = await next(behind)
    expect([reset, now === seen]).toEqual(['reset', false])
    // The stream goes on: the id of a reset is a cursor like any other.
    expect(await next(behind)).toEqual(['', now])
    expect(await next(await open(tenant, now, url))).toEqual(['', now])
  }
})

test('each event of a stream has a cursor from which nothing is repeated', async () => {
  const tenant = await newProject()
  const reader = await open(tenant)
  await next(reader)
  const stages = slugs.slice(0, 3).map((stageSlug) => tenantAt(tenant, { stageSlug }))
  await Promise.all(stages.map((stage) => write(testEnv, stage, [secret('A', '1')])))
  const events: string[] = []
  const ids = new Set<string>()
  for (let count = 0; count < stages.length; count++) {
    const [event, id] = await next(reader)
    events.push(event)
    ids.add(id)
  }
  expect(events.toSorted()).toEqual(slugs.slice(0, 3).map((slug) => `revision ${slug} 2 A`))
  expect(ids.size).toBe(3)
  expect(await next(await open(tenant, [...ids].at(-1)))).toEqual(['', [...ids].at(-1)])
})

test('deletions and new stages change the cursor too', async () => {
  const tenant = await newProject()
  testEnv.provider.setRole(tenant.user, 'owner')
  const { orgSlug, projectSlug } = tenant.at
  const reader = await open(tenant)
  const [, start] = await next(reader)
  const token = await testEnv.provider.confirmedTokenOf(tenant.user)
  await testEnv.client.must('stageDelete', { orgSlug, projectSlug, stageSlug: last, confirm: last }, { token })
  const [deletion, without] = await next(reader)
  expect(deletion).toBe(`reset ${last} 2`)
  expect(await next(await open(tenant, start))).toEqual(['reset', without])
  expect(await next(await open(tenant, without))).toEqual(['', without])
  await write(testEnv, tenantAt(tenant, { stageSlug: 'new' }), [secret('A', '1')])
  expect((await next(reader))[0]).toBe('revision new 1 A')
  expect((await next(await open(tenant, without)))[0]).toBe('reset')
})
