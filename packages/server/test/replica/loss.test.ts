/** Kills the service with SIGKILL under a load, deletes its disk, and goes on with a standby or a restore on an empty one. */
import { copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { expect, test } from 'vitest'
import { FileTarget } from '../../src/replica/file-target.ts'
import { statusOf } from '../../src/replica/status.ts'
import { TestClient } from '../../testkit/client.ts'
import { temporaryFolder, useFolder } from '../../testkit/folder.ts'
import { isLong } from '../../testkit/long.ts'
import { inServer } from '../../testkit/operator.ts'
import { pause } from '../../testkit/pause.ts'
import { runMain, startProcess, startStandby, type ServerProcess } from '../../testkit/process.ts'
import { useProvider } from '../../testkit/provider.ts'
import { Random, runSeed } from '../../testkit/random.ts'
import { query } from '../../testkit/store.ts'
import { expectAudited, expectCounted, expectSound, expectWritten } from '../crash/expectations.ts'
import { Load, type Acknowledged } from '../crash/load.ts'

const losses = isLong ? 32 : 2
const provider = useProvider()
const kept = useFolder()
const keyFile = path.join(kept, 'backup.key')
const masterKey = path.join(kept, 'master.key')

/** A machine: a disk, and the settings of a service on it. */
interface Machine {
  readonly dataDir: string
  readonly settings: Record<string, string>
}

/** Waits until the replica has what was committed before now. */
async function shippedUntilNow(replica: FileTarget): Promise<void> {
  const nowMs = Date.now()
  for (;;) {
    const { to } = await statusOf(replica)
    if (to !== undefined && Date.parse(to) > nowMs) return
    await pause(20)
  }
}

/** Kills the service at a random moment. Returns what was acknowledged before something that the replica then had. */
async function lose(
  service: ServerProcess,
  { dataDir }: Machine,
  replica: FileTarget,
  random: Random,
  name: string,
): Promise<Acknowledged> {
  const load = new Load(new TestClient(service.url, provider), provider, name)
  const { ended } = await load.run(20 + random.int(isLong ? 120 : 60))
  const acknowledged = load.acknowledged()
  await shippedUntilNow(replica)
  await pause(random.int(isLong ? 1_500 : 200))
  await service.end('SIGKILL')
  for (const client of await ended) expect(client).toMatchObject({ reason: expect.any(TypeError) })
  rmSync(dataDir, { recursive: true })
  return acknowledged
}

/** Restores the replica on an empty disk, and starts the service there. */
async function restored({ settings }: Machine): Promise<ServerProcess> {
  const { code, stderr } = await runMain(settings, ['replica', 'restore', '--key-file', keyFile])
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')])
  return startProcess(settings)
}

async function promoted(
  { settings }: Machine,
  standby: Awaited<ReturnType<typeof startStandby>>,
): Promise<ServerProcess> {
  const { code, stdout, stderr } = await runMain(settings, ['standby', 'promote'])
  expect([code, stderr]).toEqual([0, ''])
  expect(JSON.parse(stdout)).toMatchObject({ replaced: { process: expect.any(Number) }, madeAt: expect.any(String) })
  return standby.promoted()
}

test(`${losses} lost machines of seed ${runSeed}: what was acknowledged and shipped is there once, and nothing else`, async () => {
  const identity = await generateX25519Identity()
  writeFileSync(keyFile, identity)
  const replicaFolder = temporaryFolder()
  const replica = new FileTarget(replicaFolder)
  const recipient = await identityToRecipient(identity)
  const shared = {
    ...provider.settings,
    RATE_LIMIT_IP: '0',
    BACKUP_RECIPIENT: recipient,
    REPLICA_URL: `file:${replicaFolder}`,
  }
  const newMachine = (): Machine => {
    const dataDir = temporaryFolder()
    return { dataDir, settings: { ...shared, DATA_DIR: dataDir } }
  }
  const random = new Random(71)
  let machine = newMachine()
  let service = await startProcess(machine.settings)
  copyFileSync(path.join(machine.dataDir, 'master.key'), masterKey)
  const all: Acknowledged[] = []
  for (let loss = 0; loss < losses; loss++) {
    const next = newMachine()
    copyFileSync(masterKey, path.join(next.dataDir, 'master.key'))
    const standby = loss % 2 === 0 ? await startStandby(next.settings, keyFile) : undefined
    const acknowledged = await lose(service, machine, replica, random, `loss-${loss}`)
    all.push(acknowledged)
    machine = next
    service = await (standby ? promoted(machine, standby) : restored(machine))
    const survivor = { client: new TestClient(service.url, provider), dataDir: machine.dataDir, provider }
    await expectCounted(survivor, acknowledged)
    await expectAudited(survivor, acknowledged)
    for (const each of all) await expectWritten(survivor, each)
    await expectSound(machine.dataDir)
    expect(await inServer(machine.dataDir, ['audit verify'])).toMatchObject({ good: true })
    const restores =
      "select distinct seq from audit a join organizations o on o.id = a.org_id where slug = $1 and action = 'backup.restore'"
    expect(await query(machine.dataDir, restores, 'loss-0')).toHaveLength(loss + 1)
    expect(service.output()).not.toContain('"level":"error"')
  }
  expect(readdirSync(machine.dataDir)).not.toContain('standby')
})
