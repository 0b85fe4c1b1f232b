/** Alternatives that a user could run, and well-known servers: how the bench starts them and what it requests. */
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, connect, type AddressInfo } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { newFolder } from './machine.ts'
import { httpRequest, type Contender } from './spell.ts'
import type { Stores } from './stores.ts'
import { answerOf, eventually, post, startServer, type Target } from './target.ts'

const value = 'value of SECRET_0007 '.padEnd(32, '=')
export const unleashVersion = '8.2.0'
/** Client libraries that decide in the process. */
export const libraries = [
  { name: 'unleash-client', version: '6.12.1' },
  { name: '@growthbook/growthbook', version: '1.8.0' },
  { name: '@launchdarkly/node-server-sdk', version: '9.13.7' },
  { name: '@openfeature/flagd-core', version: '4.0.1' },
] as const
/** The folder of what the bench installs. */
export const installed = path.join(import.meta.dirname, '.peers')
const unleashMain = path.join(installed, 'node_modules/unleash-server/dist/server.js')
const adminToken = '*:*.bench-admin'
const frontendToken = 'default:development.bench-frontend'
/** Token of programs that evaluate flags themselves. */
export const unleashBackendToken = 'default:development.bench-backend'
const noLimit = '1000000000'

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Returns the path of a program, also in folders that only root has in its PATH, or undefined if it is not installed. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin']
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file))
}

/** Returns the version that a program reports. */
export function versionOf(program: string, flag: string): string {
  const { stdout, stderr } = spawnSync(program, [flag], { encoding: 'utf8' })
  return /\d+\.\d+\.\d+/.exec(stdout + stderr)?.[0] ?? ''
}

/** Sends one command to Redis and returns its answer. */
function sendToRedis(port: number, command: Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  return new Promise<string>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('data', (data) => resolve(data.toString()))
    socket.write(command)
  }).finally(() => socket.destroy())
}

function redisCommand(...words: string[]): Buffer {
  return Buffer.from(`*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`)
}

export async function startRedis(program: string): Promise<Contender> {
  const port = await freePort()
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', newFolder()]
  const target = await startServer([program, ...options, '--loglevel', 'warning'], {}, port)
  await eventually(() => sendToRedis(port, redisCommand('SET', 'SECRET_0007', value)))
  const request = redisCommand('GET', 'SECRET_0007')
  const answer = await sendToRedis(port, request)
  if (!answer.includes(value)) throw new Error(`unexpected answer of Redis: ${answer}`)
  return { target, requests: [request], protocol: 'resp', bodyBytes: value.length }
}

/** Starts nginx with a static file. `bytes` is the length of Rollkey's answer. */
export async function startNginx(program: string, bytes: number): Promise<Contender> {
  const [folder, port] = [newFolder(), await freePort()]
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  const configuration = `daemon off; master_process off; pid ${folder}/pid; error_log stderr;
events { worker_connections 1024; }
http { access_log off; sendfile on; keepalive_requests ${noLimit}; ${temporary.join(' ')}
  server { listen 127.0.0.1:${port}; root ${folder}/www; } }`
  mkdirSync(path.join(folder, 'www'))
  writeFileSync(path.join(folder, 'www', 'value.json'), JSON.stringify({ value }).padEnd(bytes))
  writeFileSync(path.join(folder, 'nginx.conf'), configuration)
  const options = ['-p', folder, '-c', path.join(folder, 'nginx.conf'), '-e', 'stderr']
  const target = await startServer([program, ...options], {}, port)
  const bodyBytes = await answerOf(`${target.url}/value.json`, value)
  return { target, requests: [httpRequest('GET', '/value.json')], bodyBytes }
}

export async function startEtcd(program: string): Promise<Contender> {
  const [port, peerPort] = [await freePort(), await freePort()]
  const [url, peerUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`]
  const addresses = ['--listen-client-urls', url, '--advertise-client-urls', url, '--listen-peer-urls', peerUrl]
  const cluster = ['--initial-advertise-peer-urls', peerUrl, '--initial-cluster', `default=${peerUrl}`]
  const options = [...addresses, ...cluster, '--data-dir', newFolder(), '--logger', 'zap', '--log-level', 'error']
  const target = await startServer([program, ...options], {}, port)
  await answerOf(`${url}/health`)
  const [key, stored] = ['SECRET_0007', value].map((text) => Buffer.from(text).toString('base64')) as [string, string]
  await post(`${url}/v3/kv/put`, { key, value: stored })
  const body = JSON.stringify({ key })
  const bodyBytes = await answerOf(`${url}/v3/kv/range`, stored, { method: 'POST', body })
  return { target, requests: [httpRequest('POST', '/v3/kv/range', undefined, body)], bodyBytes }
}

/** Installs packages into a separate folder, because the project does not depend on them. Returns the reason if that fails. */
async function install(
  packages: readonly { readonly name: string; readonly version: string }[],
): Promise<string | undefined> {
  const isInstalled = packages.every(({ name }) =>
    existsSync(path.join(installed, 'node_modules', name, 'package.json')),
  )
  if (isInstalled) return undefined
  mkdirSync(installed, { recursive: true })
  const manifest = path.join(installed, 'package.json')
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n')
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefix', installed]
  return promisify(execFile)('npm', [
    'install',
    ...options,
    ...packages.map(({ name, version }) => `${name}@${version}`),
  ]).then(
    () => undefined,
    (error: Error) => error.message.trim(),
  )
}

/** Installs unleash-server. Returns the reason if that fails. */
export function installUnleash(): Promise<string | undefined> {
  return install([{ name: 'unleash-server', version: unleashVersion }])
}

/** Installs the libraries that decide in the process. Returns the reason if that fails. */
export function installLibraries(): Promise<string | undefined> {
  return install(libraries)
}

/** Adds a flag, and switches it on in the environment of the tokens. */
export async function addUnleashFlag(
  { url }: Target,
  name: string,
  { strategies, isOn = true }: { readonly strategies: readonly object[]; readonly isOn?: boolean },
): Promise<void> {
  const featuresUrl = `${url}/api/admin/projects/default/features`
  await post(featuresUrl, { name, type: 'release' }, adminToken)
  const environment = `${featuresUrl}/${name}/environments/development`
  for (const strategy of strategies) await post(`${environment}/strategies`, strategy, adminToken)
  if (isOn) await post(`${environment}/on`, {}, adminToken)
}

/** Adds a flag that is on for everyone, in one of two variants by user id like an A/B roll. */
async function addFlag(target: Target, name: string): Promise<void> {
  const variants = ['a', 'b'].map((role) => ({
    name: role,
    weight: 500,
    weightType: 'variable',
    stickiness: 'userId',
    payload: { type: 'string', value: `${role} of ${name} `.padEnd(32, '=') },
  }))
  const parameters = { rollout: '100', stickiness: 'userId', groupId: name }
  await addUnleashFlag(target, name, { strategies: [{ name: 'flexibleRollout', parameters, variants }] })
}

function evaluationFor(user: string): string {
  return `/api/frontend?userId=${user}`
}

/** Starts unleash-server on an empty database. */
export async function startUnleashServer(databaseUrl: string): Promise<Target> {
  const port = await freePort()
  const settings = {
    DATABASE_URL: databaseUrl,
    DATABASE_SSL: 'false',
    HTTP_HOST: '127.0.0.1',
    HTTP_PORT: String(port),
    NODE_ENV: 'production',
    CHECK_VERSION: 'false',
    SEND_TELEMETRY: 'false',
    INIT_ADMIN_API_TOKENS: adminToken,
    INIT_FRONTEND_API_TOKENS: frontendToken,
    INIT_BACKEND_API_TOKENS: unleashBackendToken,
    // By default the server answers 20,000 requests per minute and refuses the rest.
    SDK_API_RATE_LIMIT_PER_MINUTE: noLimit,
    TOKEN_AUTHENTICATION_RATE_LIMIT_PER_MINUTE: noLimit,
  }
  const target = await startServer([process.execPath, '--no-deprecation', unleashMain], settings, port)
  await answerOf(`${target.url}/health`)
  return target
}

/** Starts unleash-server with this many flags, which the requests evaluate for 1,000 users in turn. */
export async function startUnleash(flags: number, stores: Stores): Promise<Contender> {
  const target = await startUnleashServer(await stores.newDatabase())
  const names = Array.from({ length: flags }, (_, index) => `ROLL_${String(index).padStart(4, '0')}`)
  for (const name of names) await addFlag(target, name)
  const users = Array.from({ length: 1_000 }, (_, index) => `user_${String(index).padStart(4, '0')}`)
  // The server refreshes its memory one second after a change.
  const headers = { authorization: frontendToken }
  const bodyBytes = await answerOf(target.url + evaluationFor('user_0000'), `of ${names.at(-1)} `, { headers })
  const requests = users.map((user) => httpRequest('GET', evaluationFor(user), frontendToken))
  return { target, requests, bodyBytes }
}
