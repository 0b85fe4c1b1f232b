/** The files of `deploy/`: their form by the published schemas, the settings that they name, and what the programs say that read them. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { limits } from '@rollkey/contract'
import { drainMs, workerStopMs } from '../packages/server/src/compose/stop-limits.ts'
import server from '../packages/server/package.json' with { type: 'json' }
import { settings } from '../packages/server/src/settings.ts'
import { useFolder } from '../packages/server/testkit/folder.ts'
import { panels } from './monitoring.ts'

const folder = path.resolve(import.meta.dirname, '../deploy')
const kubernetesFiles = ['kubernetes/embedded.yaml', 'kubernetes/postgres.yaml']
const temporary = useFolder()
const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false })

interface PodOwner {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly { readonly env: unknown }[]
        readonly volumes: unknown
        readonly topologySpreadConstraints?: unknown
      }
    }
  }
}

function read(file: string): string {
  return readFileSync(path.join(folder, file), 'utf8')
}

function manifestsIn(text: string): Record<string, unknown>[] {
  return parseAllDocuments(text).map((each) => each.toJS() as Record<string, unknown>)
}

function schemaOf(name: string): object {
  const text = readFileSync(path.join(import.meta.dirname, 'schemas', `${name}.json`), 'utf8')
  const { $schema: _, ...schema } = JSON.parse(text) as Record<string, unknown>
  return schema
}

function has(program: string, ...args: string[]): boolean {
  return spawnSync(program, args).status === 0
}

describe('compose', () => {
  const validate = ajv.compile(schemaOf('compose'))

  test.each(['compose.yaml', 'compose.postgres.yaml'])('%s has the form of the Compose Specification', (file) => {
    expect([validate(parse(read(file))), validate.errors]).toEqual([true, null])
  })

  test('a key that does not exist is found', () => {
    expect(validate(parse(read('compose.yaml').replace('cap_drop', 'cap_dropped')))).toBe(false)
  })
})

describe('Kubernetes', () => {
  const prefixes: Readonly<Record<string, string>> = {
    v1: 'core.v1',
    'apps/v1': 'apps.v1',
    'networking.k8s.io/v1': 'networking.v1',
    'policy/v1': 'policy.v1',
  }
  ajv.addSchema(schemaOf('kubernetes'), 'kubernetes')

  function errorsOf(manifest: Readonly<Record<string, unknown>>): unknown {
    const { apiVersion, kind } = manifest as { apiVersion: string; kind: string }
    const validate = ajv.getSchema(`kubernetes#/$defs/io.k8s.api.${prefixes[apiVersion]}.${kind}`)
    if (!validate) throw new Error(`${apiVersion} ${kind} is not in tools/schemas/kubernetes.json`)
    return validate(manifest) === true ? undefined : validate.errors
  }

  test.each(kubernetesFiles)('%s has the form of its kinds, and the image of this version', (file) => {
    const text = read(file)
    const errors = manifestsIn(text).map(errorsOf)
    expect(errors.length).toBeGreaterThan(3)
    expect(errors).toEqual(errors.map(() => undefined))
    expect(text).toContain(`image: rollkey/server:${server.version}\n`)
  })

  test('a field that does not exist is found, however deep it is', () => {
    const text = read('kubernetes/postgres.yaml').replace('allowPrivilegeEscalation', 'allowsPrivilegeEscalation')
    expect(manifestsIn(text).map(errorsOf).filter(Boolean)).toHaveLength(1)
  })

  test('both files protect and probe the pod in the same way', () => {
    const pods = kubernetesFiles.map((file) => {
      const [deployment] = manifestsIn(read(file)).filter(({ kind }) => kind === 'Deployment') as unknown as [PodOwner]
      const { containers, volumes: _, topologySpreadConstraints: __, ...pod } = deployment.spec.template.spec
      return { pod, containers: containers.map(({ env: ___, ...rest }) => rest) }
    })
    expect(pods[1]).toEqual(pods[0])
  })
})

describe('systemd', () => {
  const canAnalyze = has('systemd-analyze', '--version')

  test.skipIf(!canAnalyze)('takes the unit, and finds it well protected', () => {
    const unit = path.join(temporary, 'rollkey-server.service')
    // The program is not installed here.
    writeFileSync(unit, read('rollkey-server.service').replace('/usr/local/bin/rollkey-server', process.execPath))
    const { stderr, status } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
    expect([stderr, status]).toEqual(['', 0])
    // 0 is the best, 100 the worst.
    const checked = spawnSync('systemd-analyze', ['security', '--offline=yes', '--threshold=15', unit])
    expect(checked.status).toBe(0)
  })
})

describe('proxies', () => {
  test.each(['nginx.conf', 'Caddyfile'])(
    '%s passes on events at once and hides the metrics, and its blocks are closed',
    (file) => {
      const text = read(file).replaceAll(/#[^\n]*/g, '')
      expect(text).toMatch(/proxy_buffering off;|flush_interval -1/)
      expect(text).toMatch(/\/metrics(?: \{\s+return)? 404/)
      expect(text.split('{').length).toBe(text.replaceAll(/\{\w+\}/g, '{}').split('}').length)
    },
  )

  const mebibyte = 1_048_576
  const sizes: Readonly<Record<string, number>> = { k: 1_024, m: mebibyte, MB: 1_000_000 }
  const bytesOf = (text: string, directive: RegExp): number => {
    const [, count = '', unit = ''] = directive.exec(text) ?? []
    return Number(count) * (sizes[unit] ?? NaN)
  }

  test('nginx.conf lets through each head and body that the service takes', () => {
    const text = read('nginx.conf')
    expect(bytesOf(text, /client_max_body_size (\d+)(\w);/)).toBeGreaterThan(limits.writeBodyBytes)
    // A line of a head must fit into one of the buffers.
    expect(bytesOf(text, /large_client_header_buffers \d+ (\d+)(\w);/)).toBeGreaterThanOrEqual(limits.headerBytes)
    // Idle connections to the service end there first.
    expect(text).not.toMatch(/keepalive_timeout/)
  })

  test('Caddyfile lets through each body that the service takes, and each head by default', () => {
    expect(bytesOf(read('Caddyfile'), /max_size (\d+)(\w+)/)).toBeGreaterThan(limits.writeBodyBytes)
    expect(read('Caddyfile')).not.toMatch(/max_header_size/)
  })

  test.skipIf(!has('caddy', 'version'))('Caddy takes its file', () => {
    const args = ['validate', '--adapter', 'caddyfile', '--config', path.join(folder, 'Caddyfile')]
    expect(spawnSync('caddy', args).status).toBe(0)
  })

  test.skipIf(!has('nginx', '-v'))('nginx takes its file', () => {
    // There is no certificate here, and nginx before 1.25.1 has another word for HTTP/2.
    const text = read('nginx.conf').replaceAll(/^\s*(?:ssl_certificate|listen 443|listen \[::\]:443|http2).*$/gm, '')
    const file = path.join(temporary, 'nginx.conf')
    writeFileSync(file, `events {}\npid ${temporary}/pid;\nhttp {\n${text}\n}\n`)
    expect(spawnSync('nginx', ['-t', '-p', temporary, '-c', file]).status).toBe(0)
  })
})

test.skipIf(!has('promtool', '--version'))(
  'Prometheus takes the alerts, fires each on its fault alone, and takes the queries of the dashboard',
  () => {
    const rules = panels
      .flatMap(({ queries }) => queries)
      .map(([expr], index) => ({ record: `query_${index}`, expr: expr.replaceAll('$__rate_interval', '5m') }))
    const file = path.join(temporary, 'queries.json')
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
    const commands = [
      ['check', 'rules', path.join(folder, 'prometheus/rollkey.rules.yaml')],
      ['test', 'rules', path.join(folder, 'prometheus/rollkey.test.yaml')],
      ['check', 'rules', file],
    ]
    expect(commands.filter((args) => spawnSync('promtool', args).status !== 0)).toEqual([])
  },
)

describe('each file waits for a stop longer than it takes', () => {
  const longestSec = Math.max(drainMs, workerStopMs) / 1_000

  test('a worker is killed after it has drained', () => {
    expect(workerStopMs).toBeGreaterThan(drainMs)
  })

  test('systemd', () => {
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(read('rollkey-server.service')) ?? []
    expect(Number(seconds)).toBeGreaterThan(longestSec)
  })

  test.each(['compose.yaml', 'compose.postgres.yaml'])('%s', (file) => {
    const { services } = parse(read(file)) as { services: Record<string, { stop_grace_period?: string }> }
    const waits = Object.values(services).map(({ stop_grace_period: text = '' }) => Number(/^(\d+)s$/.exec(text)?.[1]))
    expect(Math.min(...waits)).toBeGreaterThan(longestSec)
  })

  test.each(kubernetesFiles)('%s, where the wait before the signal is part of the time', (file) => {
    const text = read(file)
    const [, grace] = /terminationGracePeriodSeconds: (\d+)/.exec(text) ?? []
    const [, before] = /preStop:\s+sleep:\s+seconds: (\d+)/.exec(text) ?? []
    expect(Number(grace) - Number(before)).toBeGreaterThan(longestSec)
  })
})

test('every setting that a file names exists', () => {
  const known = new Set(settings.flatMap(({ name, fromFile }) => (fromFile ? [name, `${name}_FILE`] : [name])))
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.\w+$|file$/.test(file))
  const named = files.flatMap((file) => [...read(file).matchAll(/ROLLKEY_\w+/g)].map(([name]) => name))
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !known.has(name))).toEqual([])
})
