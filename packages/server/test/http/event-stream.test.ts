import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { EventStream } from '../../src/http/event-stream.ts'
import { visibleStages, type Subscriber } from '../../src/live/subscriber.ts'
import { temporaryFolder } from '../../testkit/folder.ts'

test('a reader is disconnected when more than a mebibyte is unread', async () => {
  const started = Promise.withResolvers<Subscriber>()
  const watched = { stops: 0 }
  const watch = { start: async (reader: Subscriber) => started.resolve(reader), stop: () => void watched.stops++ }
  const subject = { orgId: 'org_1', projectId: 'prj_1', since: undefined, visible: () => visibleStages('all') }
  const server = createServer((_, response) => {
    const stream = new EventStream(watch, subject, systemClock, () => {})
    void stream.open({ response, requestId: 'r', common: [] }, { credential: 'c', address: 'a' }, async () => {})
  })
  // The kernel takes much less for a local socket than for a connection.
  const address = path.join(temporaryFolder(), 'socket')
  await once(server.listen(address), 'listening')
  onTestFinished(() => void server.close())
  const socket = connect(address).pause()
  onTestFinished(() => void socket.destroy())
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  const reader = await started.promise
  const names = Array.from({ length: 1_000 }, (_, index) => `${index}`.padStart(256, 'N'))
  let sent = 0
  for (; watched.stops === 0 && sent < 200; sent++) {
    reader.notify({ stageSlug: 'live', revision: sent, names })
    await new Promise(setImmediate)
  }
  expect(watched.stops).toBe(1)
  expect(sent).toBeGreaterThan(4)
})
