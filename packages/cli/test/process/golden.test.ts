/**
 * The exact output of each command, in a pipe and on a terminal. After an intended change, run `npm run build -- cli` and
 * `ROLLKEY_TEST_CI=1 npm run test:file -- packages/cli/test/process/golden.test.ts -u`, and read what changed.
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { roll, secret } from '../../../server/testkit/entries.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { newOwner, tenantAt, useTestEnv, write } from '../../../server/testkit/test-env.ts'
import { commands } from '../../src/commands/index.ts'
import { startTestCli } from '../../testkit/cli.ts'
import { pipeTranscript, terminalTranscript } from '../../testkit/golden.ts'

/** Seeds in commands and in examples of helps. */
const seeds = ['user-1', 'user-2', 'user-3']

/** Seed of the roll, which would otherwise be random. */
const user = ['--seed', 'user-1', '--key', 'checkout']

/** Scenarios: commands that run one after the other on a separate stage. */
const scenarios: Record<string, readonly (readonly string[])[]> = {
  help: [[], ['--help'], ['--version'], ['-v'], ['version'], ['token', '--help']],
  usage: [
    ['nonsense'],
    ['get'],
    ['get', 'A', 'B'],
    ['get', 'A', '--sed', 'x'],
    ['gte', 'A', '--json'],
    ['token', 'lisst'],
    ['roll', 'NEW_CHECKOUT'],
    ['login', '--url', 'localhost:8898'],
    ['ls'],
    ['help', 'logout'],
    ['help', 'nonsense'],
    ['nonsense', '--help'],
    ['token', 'lisst', '--help'],
    ['lost', '--help'],
  ],
  config: [['config'], ['config', '--stage', 'prod', '--json']],
  whoami: [['whoami'], ['whoami', '--json']],
  list: [['list'], ['list', '--json'], ['list', '--stage', 'dve'], ['list', '--project', 'shpo', '--json']],
  get: [
    ['get', 'API_KEY'],
    ['get', 'API_KEY', '--reveal'],
    ['get', 'API_KEY', '--json'],
    ['get', 'CHECKOUT', '--seed', 'user-1', '--key', 'k', '--json', '--reveal'],
    ['get', 'API_KYE'],
    ['get', 'API_KEY', '--stage', 'dve'],
    ['get', 'API_KEY', '--org', 'other'],
    ['get', 'API_KEY', '--url', 'http://127.0.0.1:9'],
  ],
  set: [
    ['set', 'NEW', 'value'],
    ['set', 'NEW', 'other', '--json'],
    ['set', 'NEW=value'],
    ['set', 'NEW', 'other', '--stage', 'dve'],
    ['set', 'NEW-ER', 'other'],
    ['set', 'NEW'],
    ['set', 'LIMIT', '7', '--type', 'int64'],
    ['set', 'LIMIT', 'seven'],
    ['set', 'LIMIT', '7', '--type', 'integer'],
    ['set', 'FLAG', '--ab', 'on', 'off', '--chance', '0.2'],
    ['set', 'FLAG', '--chance', '50%'],
    ['set', 'LIMIT', '--chance', '0.5'],
    ['set', 'FLAG', 'on', '--chance', '0.5'],
    ['set', 'FLAG', '--ab', 'on', 'off'],
    ['set', 'FLAG', '--ab', 'on', '--chance', '0.2'],
    ['set', 'FLAG', '--ab', 'on', 'off', '--chance', 'often'],
    ['set', 'LIMIT', '8', '--plain', '--description', 'Items in a cart'],
    ['set', 'LIMIT', '9'],
    ['set', 'FLAG', '--keep-value', '--visibility', 'client', '--json'],
    ['set', 'LIMIT', '--keep-value', '--description', ''],
    ['list'],
    ['set', 'LIMIT', '--keep-value', '--exposure', 'public'],
    ['set', 'GONE', '--keep-value', '--plain'],
    ['set', 'LIMIT', '--keep-value'],
    ['set', 'LIMIT', '9', '--keep-value', '--plain'],
    ['set', 'LIMIT', '9', '--plain', '--visibility', 'plain'],
    ['set', 'FLAG', '--chance', '0.5', '--plain'],
  ],
  delete: [
    ['delete', 'API_KYE', '--yes'],
    ['delete', 'API_KEY', '--yes'],
    ['delete', 'CHECKOUT', '--yes', '--json'],
  ],
  pull: [
    ['pull', ...user],
    ['pull', ...user, '--reveal'],
    ['pull', ...user, '--format', 'shell', '--reveal'],
    ['pull', ...user, '--format', 'yaml', '--reveal'],
    ['pull', ...user, '--format', 'systemd', '--reveal'],
    ['pull', ...user, '--format', 'json'],
    ['pull', ...user, '--json', '--reveal'],
    ['pull', ...user, '-o', '.env'],
    ['pull', ...user, '-o', '.env', '--format', 'yaml', '--json'],
    ['pull', '-o', 'no/such/folder/.env'],
    ['pull', '-o', '/dev/null'],
    ['pull', '--format', 'toml'],
    ['pull', '--stage', 'dve', '-o', '.env'],
  ],
  import: [
    ['pull', ...user, '-o', '.env'],
    ['import', '.env', '--dry-run'],
    ['import', '.env', '--stage', 'test', '--dry-run', '--json'],
    ['import', '.env', '--stage', 'test', '--yes'],
    ['import', '.env', '--stage', 'test', '--yes', '--create'],
    ['import', '.env', '--yes', '--json'],
    ['import', '.env', '--from', 'json'],
    ['import', '.env', '--from', 'toml'],
    ['import', 'missing.env'],
  ],
  run: [
    ['run', '--', 'printenv', 'API_KEY'],
    ['run', '--', 'sh', '-c', 'echo "$0 $# $1"; exit 3', 'a', 'b c'],
    ['run', '--', 'no-such-command'],
    ['run', '--json', '--', 'no-such-command'],
    ['run', '--stage', 'dve', '--', 'echo'],
    ['run'],
  ],
  render: [
    ['render', 'app.tmpl', ...user],
    ['render', 'app.tmpl', ...user, '--reveal'],
    ['render', 'app.tmpl', ...user, '-o', 'app'],
    ['render', 'app.tmpl', ...user, '-o', 'app', '--json'],
    ['render', 'rules.json', '-o', 'app'],
    ['render', 'wrong.tmpl'],
    ['render', 'missing.tmpl'],
    ['render', 'app.tmpl', '--', 'true'],
    ['render'],
  ],
  diff: [
    ['diff', 'dev', 'prod'],
    ['diff', 'dev', 'shop/prod', '--all'],
    ['diff', 'dev', 'prod', '--json'],
    ['diff', 'dev', 'dev'],
    ['diff', 'dev', 'dve'],
    ['diff', 'dev', 'a/b/c'],
    ['diff', 'dev'],
  ],
  copy: [
    ['copy', 'dev', 'prod', '--dry-run'],
    ['copy', 'dev', 'prod', '--yes'],
    ['copy', 'dev', 'prod', 'API_KEY', '--overwrite', '--dry-run'],
    ['copy', 'dev', 'prod', 'API_KEY', '--overwrite', '--yes', '--json'],
    ['copy', 'prod', 'dev', '--overwrite'],
    ['copy', 'dev', 'prod', 'API_KYE'],
    ['copy', 'dev', 'dev'],
    ['copy', 'dev', 'dve'],
    ['copy', 'dev'],
  ],
  promote: [
    ['promote', '--dry-run'],
    ['promote', 'dev', 'prod', '--yes'],
    ['promote', 'prod'],
    ['promote'],
    ['promote', 'dve'],
    ['promote', 'dev', 'prod', 'API_KYE'],
    ['set', 'NEW', 'value'],
    ['promote', '--at', 'soon', '--yes'],
    ['promote', '--propose', '--yes'],
  ],
  history: [
    ['history', '--limit', '2'],
    ['history', 'API_KEY'],
    ['set', 'CHECKOUT', '--chance', '50%'],
    ['delete', 'MAX', '--yes'],
    ['history'],
    ['history', 'API_KYE'],
    ['history', '--stage', 'dve'],
    ['history', '--limit', 'many'],
  ],
  search: [['search', 'key'], ['search', 'key', '--json'], ['search', 'nothing'], ['search']],
  audit: [
    ['audit', '--action', 'variable.create', '--project', 'shop'],
    ['audit', '--stage', 'prod', '--name', 'API_KEY', '--since', '1h'],
    ['audit', '--name', 'GONE'],
    ['audit', '--by', 'ada@example.com'],
    ['audit', '--by', 'token:ci'],
    ['audit', '--since', 'long ago'],
    ['audit', '--since', '2027-01-31', '--until', '2027-01-01'],
  ],
  restore: [
    ['set', 'API_KEY', 'other'],
    ['delete', 'MAX', '--yes'],
    ['restore', '1', '--dry-run'],
    ['set', 'NEW', 'value'],
    ['restore', '1', '--names', 'API_KEY', '--yes'],
    ['restore', '1', '--propose', '--yes'],
    ['restore', '1', '--yes', '--json'],
    ['restore', '1', '--yes'],
    ['restore', '99'],
    ['restore', '1', '--names', 'API_KYE'],
  ],
  roll: [
    ['roll', 'show', 'CHECKOUT'],
    ['roll', 'pin', 'CHECKOUT', 'a', 'user-1', 'user-2'],
    ['roll', 'pin', 'CHECKOUT', 'B', 'user-2', '--json'],
    ['roll', 'set', 'CHECKOUT', '--chance', '0.5', '--labels', 'new', 'old'],
    ['roll', 'rule', 'CHECKOUT', 'rules.json'],
    ['roll', 'rule', 'CHECKOUT', 'wrong.json'],
    ['roll', 'show', 'CHECKOUT'],
    ['roll', 'show', 'CHECKOUT', '--pins'],
    ['roll', 'show', 'CHECKOUT', '--pins', '--json'],
    ['roll', 'explain', 'CHECKOUT', '--seed', 'user-2'],
    ['roll', 'explain', 'CHECKOUT', '--seed', 'user-3', '--context', '{"plan":"pro"}'],
    ['roll', 'explain', 'CHECKOUT', '--seed', 'user-3', '--json'],
    ['roll', 'explain', 'CHECKOUT', '--seed', 'user-2', '--local'],
    ['roll', 'explain', 'CHECKOUT', '--seed', 'user-3', '--context', '{"plan":"pro"}', '--local', '--json'],
    ['roll', 'explain', 'CHECKOUT', '--local'],
    ['roll', 'explain', 'CHECKOUT'],
    ['get', 'CHECKOUT', '--seed', 'user-3', '--context', '{"plan":"pro"}', '--json', '--reveal'],
    ['pull', '--seed', 'user-3', '--context', '{"plan":"pro"}', '--format', 'json', '--reveal'],
    ['run', '--seed', 'user-3', '--context', '{"plan":"pro"}', '--', 'printenv', 'CHECKOUT'],
    ['get', 'CHECKOUT', '--context', '[]'],
    ['roll', 'explain', 'CHECKOUT', '--context', 'plan'],
    ['roll', 'unpin', 'CHECKOUT', 'user-1'],
    ['roll', 'unpin', 'CHECKOUT', '--all', '--json'],
    ['roll', 'set', 'CHECKOUT', '--no-labels'],
    ['roll', 'rule', 'CHECKOUT', '--clear'],
    ['roll', 'stop', 'CHECKOUT'],
    ['roll', 'show', 'CHECKOUT'],
    ['roll', 'show', 'API_KEY'],
    ['roll', 'show', 'CHEKOUT'],
    ['roll', 'stop', 'API_KEY'],
    ['roll', 'stop', 'CHEKOUT'],
    ['roll', 'pin', 'CHECKOUT', 'c', 'user-1'],
    ['roll', 'unpin', 'CHECKOUT'],
    ['roll', 'set', 'CHECKOUT'],
    ['roll', 'set', 'CHECKOUT', '--chance', '25'],
    ['roll', 'set', 'CHECKOUT', '--labels', 'new'],
    ['roll', 'rule', 'CHECKOUT'],
    ['roll', 'rule', 'CHECKOUT', 'missing.json'],
  ],
  token: [
    ['token', 'list'],
    ['token', 'create', 'web'],
    ['token', 'create', 'ci', '--scope', 'organization', '--write', '--days', '30', '--json'],
    ['token', 'create', 'x', '--scope', 'world'],
    ['token', 'list'],
    ['token', 'revoke', 'unknown', '--yes'],
  ],
  access: [
    ['access', 'explain'],
    ['access', 'list', 'prod'],
    ['access', 'holders', 'prod'],
    ['group', 'create', 'On call'],
    ['access', 'grant', 'group:On call', 'developer', 'prod', '--days', '7'],
    ['access', 'grant', 'group:On call', 'viewer', '--scope', 'project'],
    ['access', 'list'],
    ['access', 'list', 'prod', '--json'],
    ['access', 'explain', 'group:On call', 'prod'],
    ['access', 'revoke', 'group:On call', 'prod', '--yes'],
    ['access', 'revoke', 'group:On call', 'prod', '--yes', '--json'],
    ['access', 'grant', 'group:On cal', 'developer', 'prod'],
    ['access', 'grant', 'group:On call', 'editor', 'prod'],
    ['access', 'grant', 'grace', 'developer', 'prod'],
    ['access', 'grant', 'group:On call', 'developer', 'dve'],
    ['access', 'list', '--scope', 'world'],
    ['access', 'list', 'prod', '--scope', 'project'],
    ['access', 'holders', 'prod', '--verb', 'see'],
    ['access', 'holders', 'prod', '--at', 'yesterday'],
  ],
  group: [
    ['group', 'list'],
    ['group', 'create', 'On call'],
    ['group', 'list'],
    ['group', 'create', 'On call'],
    ['group', 'rename', 'On call', 'Operations'],
    ['group', 'add', 'Operations', 'token:ci'],
    ['group', 'remove', 'Operations', 'token:ci'],
    ['group', 'connect', 'Operations', 'sre'],
    ['group', 'connect', 'Operations', 'sre', '--yes'],
    ['group', 'add', 'Operations', 'user:ada'],
    ['group', 'create', 'On call', '--idp-group', 'sre'],
    ['group', 'create', 'On call', '--idp-group', 'on-call', '--json'],
    ['group', 'list'],
    ['group', 'disconnect', 'Operations'],
    ['group', 'delete', 'Operations', '--yes'],
    ['group', 'delete', 'Operations', '--yes'],
  ],
  role: [
    ['role', 'list'],
    ['role', 'set', 'auditor', 'manage'],
    ['role', 'list'],
    ['role', 'set', 'auditor', 'read', 'manage'],
    ['role', 'set', 'auditor', 'read', 'manage', '--yes', '--json'],
    ['role', 'set', 'auditor', 'see'],
    ['role', 'set', 'viewer', 'read'],
    ['role', 'set', 'Auditor', 'read'],
    ['group', 'create', 'On call'],
    ['access', 'grant', 'group:On call', 'auditor', 'prod'],
    ['role', 'delete', 'auditor', '--yes'],
    ['access', 'revoke', 'group:On call', 'prod', '--yes'],
    ['role', 'delete', 'auditor'],
    ['role', 'delete', 'auditor', '--yes'],
    ['role', 'delete', 'auditor', '--yes', '--json'],
  ],
  project: [
    ['project', 'list'],
    ['project', 'create', 'blog', '--name', 'Web log', '--stages', 'dev', 'prod'],
    ['project', 'create', 'blog'],
    ['project', 'list', '--json'],
  ],
  stages: [
    ['stage', 'list'],
    ['stage', 'create', 'staging', '--name', 'Rehearsal'],
    ['stage', 'create', 'blog/dev'],
    ['stage', 'order', 'dev', 'staging'],
    ['stage', 'order', 'dev', 'staging', 'prod'],
    ['stage', 'create', 'eu', '--production', '--json'],
    ['stage', 'list'],
    ['stage', 'list', '--project', 'shpo'],
  ],
  open: [
    ['open'],
    ['open', 'MAX', '--json'],
    ['open', 'audit', '--print'],
    ['open', 'overview'],
    ['open', 'chg_N3iXqTsLr2c1vB8eYzQa'],
    ['open', 'audi'],
  ],
  stage: [
    ['stage', 'protect', 'prod', '--dry-run'],
    ['stage', 'protect', 'prod', '--dry-run', '--json'],
    ['stage', 'protect', 'shop/prod', '--yes'],
    ['stage', 'protect', 'prod'],
    ['stage', 'protect', 'prod', '--yes', '--json'],
    ['access', 'list', 'prod'],
    ['stage', 'protect', 'dve', '--yes'],
    ['stage', 'unprotect', 'prod'],
    ['stage', 'unprotect', 'prod', '--yes'],
  ],
  'trust-url': [
    ['trust-url', 'https://rollkey.example.com/'],
    ['trust-url', '--list'],
    ['trust-url', '--remove', 'https://rollkey.example.com'],
    ['trust-url', '--remove', 'https://rollkey.example.com'],
    ['trust-url', 'rollkey.example.com'],
    ['trust-url'],
  ],
  override: [
    ['override', 'set', 'MAX', '50'],
    ['override', 'set', 'LOG_LEVEL', 'debug', '--json'],
    ['override', 'list'],
    ['run', '--', 'sh', '-c', 'echo "$API_KEY $MAX $LOG_LEVEL"'],
    ['override', 'set', 'LOG-LEVEL', 'debug'],
    ['override', 'set', 'MAX', '50', '--stage', 'dve'],
    ['override', 'unset', 'MAX'],
    ['override', 'unset', 'MAX'],
    ['override', 'unset'],
    ['override', 'unset', '--all'],
    ['override', 'list'],
  ],
  declare: [
    ['check'],
    ['declare', 'push', 'declared.json'],
    ['check', '--all'],
    ['check', '--stage', 'prod', '--json'],
    ['check', '--all', '--file', 'declared.json', '--format', 'github'],
    ['check', '--format', 'xml'],
    ['check', '--file', 'missing.json'],
    ['check', '--file', 'wrong.json'],
    ['check', '--stage', 'dve'],
    ['declare', 'push', 'declared.json'],
    ['declare', 'pull'],
    ['declare', 'pull', '-'],
    ['declare', 'pull', 'again.json', '--json'],
    ['declare', 'diff'],
    ['declare', 'diff', 'other.json'],
    ['declare', 'diff', 'other.json', '--json'],
    ['declare', 'push', 'other.json', '--json'],
    ['declare', 'diff', 'wrong.json'],
    ['set', 'MAX', '500'],
    ['delete', 'API_KEY', '--yes'],
    ['declare', 'from-code', '.'],
    ['declare', 'from-code', '.', '-o', 'other.json'],
    ['declare', 'from-code', '.', '--out', 'other.json', '--json'],
    ['declare', 'from-code', 'missing'],
  ],
  completion: [
    ['completion', 'bash'],
    ['completion', 'powershell'],
    ['complete', '--', 'to'],
    ['complete', '--', 'token', ''],
    ['complete', '--', 'get', '--', ''],
  ],
  doctor: [['doctor'], ['doctor', '--json'], ['doctor', '--url', 'http://127.0.0.1:9']],
  logout: [['logout'], ['logout'], ['get', 'API_KEY'], ['whoami', '--json'], ['doctor']],
}

const testEnv = useTestEnv({ IDP_GROUPS_CLAIM: 'groups' })

beforeAll(async () => {
  // The first ids of people are also seeds in examples, and a transcript replaces the id of its person.
  for (const _ of seeds) await newOwner(testEnv)
})

/** Creates a stage `dev` with a secret and a roll, and a stage `prod`. */
async function newCli() {
  const cli = await startTestCli(testEnv)
  await write(testEnv, cli.tenant, [
    secret('API_KEY', 's3cret'),
    { ...secret('MAX', '5', 'int64'), exposure: 'plain', description: 'Items\nin a cart' },
    roll('CHECKOUT', 0.25, 'on', 'off'),
  ])
  await write(testEnv, tenantAt(cli.tenant, { stageSlug: 'prod' }), [secret('API_KEY', 'of prod')])
  const rule = { when: { plan: { in: ['pro', 'team'] }, age: { greaterThan: 17 } }, then: 0.1 }
  writeFileSync(
    path.join(cli.cwd, 'rules.json'),
    JSON.stringify([{ when: { plan: { equals: 'pro' } }, then: 'a' }, rule]),
  )
  writeFileSync(path.join(cli.cwd, 'app.tmpl'), 'key = {{ API_KEY }}\ncheckout = {{ CHECKOUT }}\n{{{{ as is }}\n')
  writeFileSync(path.join(cli.cwd, 'wrong.tmpl'), '{{ API_KYE }}\n')
  writeFileSync(path.join(cli.cwd, 'wrong.json'), JSON.stringify([{ when: { plan: { is: 'pro' } }, then: 'a' }]))
  const declared = {
    properties: {
      API_KEY: { pattern: '^k_' },
      CHECKOUT: { enum: ['on', 'off'] },
      MAX: { type: 'integer', maximum: 100 },
      SENTRY_DSN: { format: 'uri', 'x-rollkey': { required: 'production' } },
    },
    required: ['API_KEY', 'CHECKOUT'],
  }
  const { CHECKOUT: _, ...others } = declared.properties
  const properties = { ...others, API_KEY: { minLength: 3 }, NEW: {} }
  writeFileSync(
    path.join(cli.cwd, 'app.js'),
    "start(process.env.API_KEY, process.env.PORT ?? '8080', process.env.TITLE)\n",
  )
  writeFileSync(path.join(cli.cwd, 'broken.js'), 'const const\n')
  writeFileSync(path.join(cli.cwd, 'declared.json'), JSON.stringify(declared))
  writeFileSync(path.join(cli.cwd, 'other.json'), JSON.stringify({ properties, required: ['API_KEY'] }))
  return cli
}

describe.each(Object.entries(scenarios))('%s', (name, lines) => {
  test('in a pipe', async () => {
    const cli = await newCli()
    await expect(await pipeTranscript(cli, testEnv.app.url, lines)).toMatchFileSnapshot(`golden/${name}.pipe.txt`)
  })

  // Only the first commands, which show what is specific to a terminal: color, tables, hidden values.
  test.runIf(isLong)('on a terminal', async () => {
    const cli = await newCli()
    await expect(await terminalTranscript(cli, testEnv.app.url, lines.slice(0, 3))).toMatchFileSnapshot(
      `golden/${name}.terminal.txt`,
    )
  })
})

test('the help of every command', async () => {
  const cli = await newCli()
  const lines = commands.filter(({ isHidden }) => !isHidden).map(({ name }) => [...name.split(' '), '--help'])
  await expect(await pipeTranscript(cli, testEnv.app.url, lines)).toMatchFileSnapshot('golden/helps.txt')
})
