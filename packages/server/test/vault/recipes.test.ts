/** Runs the recipes of docs/tools.md as they are written there, except for the address and the id of the trust. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { secret } from '../../testkit/entries.ts'
import { newServiceToken, write } from '../../testkit/test-env.ts'
import { VaultClient } from '../../testkit/vault.ts'
import { audience, useTrustScene } from '../trusts/scene.ts'
import schemas from './external-secrets.schema.json' with { type: 'json' }

const root = path.resolve(import.meta.dirname, '../../../..')
const page = readFileSync(path.join(root, 'docs/tools.md'), 'utf8')
const scene = useTrustScene()

/** Returns the first block of a section with the address of the service in place of the example's. */
function blockOf(title: string): string {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${title}\n`)) ?? ''
  const [, block] = /```\w+\n([^]*?)```/.exec(section) ?? []
  if (block === undefined) throw new Error(`docs/tools.md: no block in ${title}`)
  return block
}

/** Logs in with the token of a workload at the address of a recipe, and reads a secret. */
async function readBy(server: string, mount: string, secretPath: string, tokenAudience: string): Promise<unknown> {
  expect(tokenAudience).toBe(audience)
  expect(server).toBe('https://rollkey.example.com/vault')
  const owner = await scene.newOwner()
  await write(scene.testEnv, owner, [secret('DATABASE_URL', 'postgres://db')])
  const role = (await scene.trust({}, owner)).id as string
  const vault = new VaultClient(scene.testEnv.app.url)
  const { body: login } = await vault.put(`auth/${mount}/login`, { role, jwt: await scene.token() })
  return (await vault.get(secretPath, { token: login.auth.client_token })).body.data.data
}

test('the resources of External Secrets have only fields of its definitions, with values of their types', () => {
  const resources = parseAllDocuments(blockOf('External Secrets')).map((each) => each.toJS())
  expect(resources.map(({ kind }) => kind)).toEqual(['SecretStore', 'ExternalSecret'])
  for (const { kind, apiVersion, spec } of resources) {
    const schema = schemas[kind as 'SecretStore' | 'ExternalSecret']
    expect(apiVersion).toBe(schema.apiVersion)
    const validate = new Ajv({ allErrors: true }).compile(schema.spec)
    validate(spec)
    expect(validate.errors).toBeNull()
  }
})

test('External Secrets logs in at the mount and reads the stage of its recipe', async () => {
  const [store, copy] = parseAllDocuments(blockOf('External Secrets')).map((each) => each.toJS())
  const { server, path: mount, version, auth } = store.spec.provider.vault
  expect([version, copy.spec.secretStoreRef]).toEqual(['v2', { kind: 'SecretStore', name: store.metadata.name }])
  const { key } = copy.spec.dataFrom[0].extract
  const { mountPath, serviceAccountRef } = auth.kubernetes
  const data = await readBy(server, mountPath, `${mount}/data/${key}`, serviceAccountRef.audiences[0])
  expect(data).toEqual({ A: 'value of A', DATABASE_URL: 'postgres://db' })
})

test('GitLab logs in at the mount and reads the variable of its recipe', async () => {
  const { id_tokens: tokens, variables, secrets } = parse(blockOf('GitLab and GitHub Actions')).deploy
  const [, stage, field, mount] = /^(.+)\/(.+)@(.+)$/.exec(secrets.DATABASE_URL.vault) ?? []
  const { VAULT_SERVER_URL: server, VAULT_AUTH_PATH: authPath } = variables
  const data = await readBy(server, authPath, `${mount}/data/${stage}`, tokens.VAULT_ID_TOKEN.aud)
  expect(data).toHaveProperty(field ?? '', 'postgres://db')
})

test('the program with node-vault prints the variable', async () => {
  const owner = await scene.newOwner()
  await write(scene.testEnv, owner, [secret('DATABASE_URL', 'postgres://db')])
  const { token } = await newServiceToken(scene.testEnv, owner, { role: 'reader' })
  const program = blockOf('node-vault').replace('https://rollkey.example.com', scene.testEnv.app.url)
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    env: { ROLLKEY_TOKEN: token },
  })
  expect(stdout).toBe('postgres://db\n')
})
