/** Fills an embedded store through the service's API, with a clock that starts a month ago. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { askServer } from '../../packages/server/src/operator/socket.ts'
import { startApp } from '../../packages/server/src/compose/app.ts'
import { createLog } from '../../packages/server/src/base/log.ts'
import { readConfig } from '../../packages/server/src/config.ts'
import { TestClient } from '../../packages/server/testkit/client.ts'
import { TestClock } from '../../packages/server/testkit/clock.ts'
import { inLink, invitation, Person } from '../../packages/server/testkit/person.ts'
import { days, live, type Cast } from './story.ts'

const day = 24 * 3_600_000
const orgSlug = 'acme'

export interface SignIn {
  readonly email: string
  /** Random for each store, because others may be able to reach this machine. */
  readonly password: string
}

async function createOwner(url: string, setupLink: string, password: string): Promise<Person> {
  const owner = new Person(url, 'ada@example.com')
  await owner.must('/links/setup', {
    token: inLink(setupLink, 'token'),
    name: 'Ada Lovelace',
    email: owner.email,
    password,
    organizationName: 'Acme Inc.',
    organizationSlug: orgSlug,
  })
  return owner
}

async function join(owner: Person, name: string, role: string, password: string): Promise<Person> {
  const person = new Person(owner.origin, `${name.split(' ', 1)[0]?.toLowerCase()}@example.com`)
  const id = await invitation(owner, person.email, role)
  await person.must('/links/sign-up', { id, name, password })
  await person.must('/organization/accept-invitation', { invitationId: id })
  return person
}

/** Fills the store of a folder unless that was done before. Throws if it is in use or has data from elsewhere. */
export async function seed(folder: string): Promise<SignIn> {
  const done = path.join(folder, 'seed.json')
  if (existsSync(done)) return JSON.parse(readFileSync(done, 'utf8')) as SignIn
  if ((await askServer(folder, 'status')) !== undefined) {
    throw new Error(
      `A service uses ${folder} (expected none): stop npm run dev, and start it again after this command.`,
    )
  }

  const config = readConfig({ ROLLKEY_DATA_DIR: folder, ROLLKEY_PORT: '0', ROLLKEY_RATE_LIMIT_IP: '0' })
  const clock = new TestClock()
  const startMs = clock.now() - days * day
  clock.freezeAt(startMs)
  const app = await startApp(config, createLog('silent'), clock)
  try {
    if (app.setupLink === undefined) {
      throw new Error(`${folder} has accounts that this command did not make (expected none): delete the folder.`)
    }
    const password = randomBytes(9).toString('base64url')
    const url = app.url.replace('127.0.0.1', 'localhost')
    const ada = await createOwner(url, app.setupLink, password)
    const cast: Cast = {
      ada,
      grace: await join(ada, 'Grace Hopper', 'admin', password),
      alan: await join(ada, 'Alan Turing', 'member', password),
    }
    await invitation(ada, 'katherine@example.com')
    await live(cast, new TestClient(url), orgSlug, (dayNumber, hour) =>
      clock.freezeAt(startMs + dayNumber * day + hour * 3_600_000),
    )
    const signIn: SignIn = { email: ada.email, password }
    writeFileSync(done, JSON.stringify(signIn), { mode: 0o600 })
    return signIn
  } finally {
    await app.close()
  }
}
