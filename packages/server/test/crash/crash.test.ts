/** Kills the process with SIGKILL at random points of a load that changes everything that can change, on one data directory. */
import { pause } from '../../testkit/pause.ts'
import { expect, test } from 'vitest'
import { TestClient } from '../../testkit/client.ts'
import { useFolder } from '../../testkit/folder.ts'
import { isLong } from '../../testkit/long.ts'
import { startProcess, type ServerProcess } from '../../testkit/process.ts'
import { useProvider } from '../../testkit/provider.ts'
import { runSeed, seeded } from '../../testkit/random.ts'
import { expectAudited, expectCounted, expectSound, expectWritten } from './expectations.ts'
import { Load } from './load.ts'

const kills = isLong ? 200 : 3
const dataDir = useFolder()
const provider = useProvider()

async function killInTheMiddle(server: ServerProcess, load: Load, random: () => number): Promise<void> {
  const { ended } = await load.run(40 + Math.floor(random() * 160))
  // The delay avoids killing always right after an answer.
  await pause(random() * 20)
  await server.end('SIGKILL')
  // The connection is gone, so fetch throws a TypeError. An answer other than 200 would throw another error.
  for (const client of await ended) expect(client).toMatchObject({ reason: expect.any(TypeError) })
}

async function expectSessions(client: TestClient, { pairs, approved, exchanged }: Load): Promise<void> {
  for (const { accessToken, refreshToken } of pairs) {
    await client.must('session', {}, { token: accessToken })
    await client.must('tokenRefresh', { refreshToken })
  }
  for (const deviceCode of approved)
    expect(await client.must('devicePoll', { deviceCode })).toHaveProperty('accessToken')
  for (const deviceCode of exchanged) expect((await client.call('devicePoll', { deviceCode })).status).toBe(404)
}

test(`${kills} kills of seed ${runSeed}: what was acknowledged is stored once, nothing is stored in part, and the store is consistent`, async () => {
  const random = seeded(1)
  const loads: Load[] = []
  const settings = { ...provider.settings, DATA_DIR: dataDir, RATE_LIMIT_IP: '0' }
  let server = await startProcess(settings)
  for (let round = 0; round < kills; round++) {
    const load = new Load(new TestClient(server.url, provider), provider, `crash-${round}`)
    loads.push(load)
    await killInTheMiddle(server, load, random)
    server = await startProcess(settings)
    const client = new TestClient(server.url, provider)
    const survivor = { client, dataDir, provider }
    await expectCounted(survivor, load)
    await expectAudited(survivor, load)
    await expectSessions(client, load)
    await expectWritten(survivor, load)
    await expectSound(dataDir)
    expect(server.output()).not.toContain('"level":"error"')
  }
  const client = new TestClient(server.url, provider)
  for (const load of loads) await expectWritten({ client, dataDir, provider }, load)
  expect(await server.end('SIGTERM')).toBe(0)
  await expectSound(dataDir)
})
