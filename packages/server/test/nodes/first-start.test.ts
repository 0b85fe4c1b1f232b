/** Tests that several nodes or workers that start together create the first account once. */
import { randomBytes } from 'node:crypto'
import { expect, inject, onTestFinished, test } from 'vitest'
import { startApp } from '../../src/compose/app.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/base/log.ts'
import { cheapHasher } from '../../testkit/cheap-hasher.ts'
import { TestClock } from '../../testkit/clock.ts'
import { temporaryFolder } from '../../testkit/folder.ts'
import { goodPassword, inLink, Person } from '../../testkit/person.ts'
import { newDatabase } from '../../testkit/postgres.ts'
import { startProcess } from '../../testkit/process.ts'

const created = 'created the first account'
const setup = { SETUP_EMAIL: 'ada@example.com', SETUP_ORG: 'acme' }

/** Sets the password by the link. Throws unless the link is valid. */
async function usePasswordLink(url: string, link: string | undefined): Promise<void> {
  const ada = new Person('http://localhost:8787', 'ada@example.com')
  ada.url = url
  await ada.must('/reset-password', { token: inLink(link, 'token'), newPassword: goodPassword })
  expect((await ada.signIn()).status).toBe(200)
  expect((await ada.get('/organization/list')).body).toMatchObject([{ slug: 'acme' }])
}

test('one of several nodes creates the account, and its link is valid', async () => {
  const settings = {
    ...setup,
    PORT: '0',
    PUBLIC_URL: 'http://localhost:8787',
    MASTER_KEY: randomBytes(32).toString('base64'),
    DATABASE_URL: await newDatabase(inject('postgresUrl')),
  }
  const environment = Object.entries(settings).map(([name, value]) => [`ROLLKEY_${name}`, value])
  const config = readConfig(Object.fromEntries(environment))
  const lines: string[] = []
  const log = createLog('info', { write: (line) => lines.push(line) })
  const start = () => startApp(config, log, new TestClock(), cheapHasher)
  const nodes = await Promise.all([start(), start(), start()])
  onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.close()))))
  expect(lines.filter((line) => line.includes(created))).toHaveLength(1)
  const links = nodes.flatMap(({ passwordLink }) => passwordLink ?? [])
  expect(links).toHaveLength(1)
  await usePasswordLink(nodes[0]?.url ?? '', links[0])
})

test('the process that starts workers creates the account', async () => {
  const DATABASE_URL = await newDatabase(inject('postgresUrl'))
  const more = { DATABASE_URL, WORKERS: '2', PUBLIC_URL: 'http://localhost:8787' }
  const server = await startProcess({ DATA_DIR: temporaryFolder(), ...setup, ...more })
  const link = await server.setupLink()
  expect(server.output().match(new RegExp(created, 'g'))).toHaveLength(1)
  expect(server.output().match(/#token=/g)).toHaveLength(1)
  await usePasswordLink(server.url, link)
})
