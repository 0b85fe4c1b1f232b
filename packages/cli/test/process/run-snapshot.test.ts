/** `rollkey run --snapshot`: a start while the service cannot be reached. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../server/testkit/folder.ts'
import { startHostileService } from '../../testkit/hostile-service.ts'
import { inPipe, type Ended } from '../../testkit/run.ts'

const print = ['--', process.execPath, '-p', 'process.env.API_KEY']

test('starts with the last variables, of the same stage, roll and token, and only if the service cannot be reached', async () => {
  const service = await startHostileService()
  const folder = temporaryFolder()
  const file = path.join(folder, 'last', 'shop')
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, ROLLKEY_URL: service.url, ROLLKEY_ORG: 'acme' }
  const run = (args: readonly string[], token = 'svc_st_x', stage = 'dev'): Promise<Ended> =>
    inPipe(['run', '--project', 'shop', '--stage', stage, ...args, ...print], {
      env: { ...env, ROLLKEY_TOKEN: token },
      cwd: folder,
    })
  const snapshot = ['--snapshot', file]

  service.answers['/v1/env/pull'] = { revision: 7, variables: { API_KEY: 's3cret' } }
  expect(await run(snapshot)).toMatchObject({ status: 0, stdout: 's3cret\n', stderr: '' })
  expect(readFileSync(file).includes('s3cret')).toBe(false)

  // A refusal is not an outage.
  service.answers['/v1/env/pull'] = { error: { code: 'FORBIDDEN', message: 'Revoked.', requestId: 'r' } }
  expect(await run(snapshot)).toMatchObject({ status: 4, stdout: '' })

  await service.close()
  const { status, stdout, stderr } = await run(snapshot)
  expect({ status, stdout }).toEqual({ status: 0, stdout: 's3cret\n' })
  expect(stderr).toMatch(/^UNREACHABLE: .*Starting with revision 7 of the snapshot, from just now\n$/)

  const others = [
    run([]),
    run(snapshot, 'svc_st_y'),
    run(snapshot, 'svc_st_x', 'prod'),
    run([...snapshot, '--seed', 'u']),
  ]
  for (const other of await Promise.all(others)) expect(other).toMatchObject({ status: 8, stdout: '' })
})

test('needs a token that stays', async () => {
  const folder = temporaryFolder()
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    ROLLKEY_URL: 'http://localhost:1',
    ROLLKEY_TRUST: 'trs_x',
    ROLLKEY_ID_TOKEN: 'x.y.z',
  }
  const args = ['run', '--project', 'shop', '--stage', 'dev', '--snapshot', 'last', ...print]
  expect(await inPipe(args, { env, cwd: folder })).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--snapshot encrypts the file with a service token') as string,
  })
})
