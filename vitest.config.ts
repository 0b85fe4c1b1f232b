import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { useOneFolder } from './tools/test-folder.ts'
import { TestOrder } from './tools/test-order.ts'
import { TestReport } from './tools/test-report.ts'

/** What a run covers: `npm test`, what a pull request must pass in CI, or everything in its long form (`npm run test:long`). */
const level =
  process.env['ROLLKEY_TEST_LONG'] === '1' ? 'long' : process.env['ROLLKEY_TEST_CI'] === '1' ? 'ci' : 'quick'

useOneFolder(level === 'long')
// The same on every machine, also for the processes that tests start.
Object.assign(process.env, { TZ: 'UTC', LC_ALL: 'C.UTF-8' })

interface Suite {
  readonly include: readonly string[]
  readonly exclude?: readonly string[]
  /** Files that `npm test` leaves out, and CI does not. */
  readonly fromCi?: readonly string[]
  /** Files that CI leaves out too. */
  readonly nightly?: readonly string[]
}

const leftOutOfTest: string[] = []
const leftOutOfCi: string[] = []

/** Returns the files of a suite that belong to this run. */
function filesOf({ include, exclude = [], fromCi = [], nightly = [] }: Suite): {
  include: string[]
  exclude: string[]
} {
  const left = { quick: [...fromCi, ...nightly], ci: nightly, long: [] }[level]
  if (level === 'quick') leftOutOfTest.push(...fromCi)
  if (level !== 'long') leftOutOfCi.push(...nightly)
  return { include: [...include], exclude: [...exclude, ...left] }
}

/** Tests of parts of the service and of the packages. */
const unit = [
  'packages/{contract,sdk,openfeature}/test/**/*.test.ts',
  'packages/dashboard/src/**/*.test.ts',
  'packages/cli/test/unit/**/*.test.ts',
  'packages/server/test/config.test.ts',
  'tools/**/*.test.ts',
  'packages/server/test/{audit,auth,base,concurrency,consistency,crypto,evaluation,live,metering,notifications,operator,outbox,stages,storage,tracing,upstream,variables}/**/*.test.ts',
]

/** Tests with a real Chromium. They use the output of `npm run build`. */
const browser = ['packages/{dashboard,cli,sdk,openfeature}/test/browser/**/*.test.ts']

/** Command lines as processes, in pipes and terminals. They use the bundle of `npm run build`. */
const cli = ['packages/cli/test/process/**/*.test.ts', 'packages/sdk/test/{service,package}/**/*.test.ts']

/** Tests of several nodes and their faults. */
const nodes = ['packages/{server,openfeature}/test/nodes/**/*.test.ts']

/** Tests of what `npm run build:release` builds. Only a release or a change of the builds can break them. */
const release = ['packages/server/test/package/**/*.test.ts']

/** Tests of the service as a process, which CI runs on the release build instead of the sources. */
const onReleaseBuild = [
  'packages/server/test/{audit-chain,demo,doctor,keys,kms,operations,process-secrets,stop}.test.ts',
  'packages/server/test/backup/backup.test.ts',
  'packages/server/test/embedded/{first-start,keys,secrets}.test.ts',
  'packages/server/test/nodes/workers.test.ts',
]

/**
 * Tests over HTTP that CI also runs on two nodes over PostgreSQL: about writes, concurrency, metering, sessions and changes.
 * Every query runs on both stores in `unit`, so the others add little, and run each night.
 */
const onBothStores = [
  'packages/server/test/{changes,consistency,data-keys,device-flow,history,housekeeping}.test.ts',
  'packages/server/test/last-evaluations.test.ts',
  'packages/server/test/{organization-deletion,races,resumed-events,roll-counts}.test.ts',
  'packages/server/test/{sessions,unnoted,usage,variables}.test.ts',
  'packages/server/test/changes/{proposals,protection,races}.test.ts',
  'packages/server/test/{access,trusts}/{places,races}.test.ts',
  'packages/server/test/embedded/{members,set-email}.test.ts',
]

/** Tests that would be the same on every store, or that start the service too frequently to run on both. */
const onOneStore = [
  'packages/server/test/{demo,kms,large-organization,loading,process-secrets,readme,web-sign-in}.test.ts',
  'packages/server/test/{http,hostile,fuzz,backup}/**/*.test.ts',
  'packages/server/test/embedded/{first-start,hashing,slow-database}.test.ts',
  // Starts runtimes of other languages.
  'packages/server/test/{in-process,ofrep}/examples.test.ts',
  // Each node fetches keys for itself.
  'packages/server/test/trusts/issuers.test.ts',
  // Runs on an embedded store that it opens itself.
  'packages/server/test/changes/model.test.ts',
]

/**
 * Limits of tests that hang. They do not measure speed: the slowest test takes a twentieth of its limit on a machine of two
 * quiet cores, so that a busy one decides nothing.
 */
const patience = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 120_000 } } }

/** What most suites have. Their files share what they import: one import of the service for all takes a fifth of the time. */
const shared = { ...patience, isolate: false }

/** One real PostgreSQL for all suites, in which each test creates a separate database. */
const withPostgres = { ...shared, globalSetup: ['packages/server/testkit/postgres-setup.ts'] }

/** Environment for the same tests on PostgreSQL as on the embedded store. */
const onPostgres = { ROLLKEY_TEST_STORE: 'postgres' }

/** Environment in which neither a day nor a month ends during a test of the service alone. */
const midMonth = { ROLLKEY_TEST_CLOCK: 'middle of a month' }

/** Environment that makes tests start the service from the output of `npm run build:release`, in their process or as another. */
const onBuild = {
  ROLLKEY_TEST_APP: '../dist/app.cjs',
  ROLLKEY_TEST_SERVER: '../dist/bin/rollkey-server.js',
}
/** In CI and at night, tests of what a user gets run on the build. */
const asUsers = level === 'quick' ? {} : onBuild

const http = { include: ['packages/*/test/**/*.test.ts'], exclude: [...unit, ...cli, ...nodes, ...browser, ...release] }

const projects = [
  {
    ...withPostgres,
    name: 'unit',
    ...filesOf({
      include: unit,
      exclude: [...cli, ...nodes, ...browser],
      // Of checks that each run makes anyway, of tools, of several nodes, and of what slow or failing neighbors do for seconds.
      fromCi: [
        'tools/test-report.test.ts',
        'packages/cli/test/unit/frame/hidden-values.test.ts',
        'packages/openfeature/test/one-decision.test.ts',
        'packages/server/test/audit/stream/audit-stream.test.ts',
        'packages/sdk/test/node/platform-token.test.ts',
        'packages/server/test/auth/provider-tokens.test.ts',
        'packages/server/test/crypto/{age,aws,gcp}-kms.test.ts',
        'packages/server/test/metering/{node-rows,outbox,postgres}.test.ts',
        'packages/server/test/notifications/hook-outbox.test.ts',
        'packages/server/test/stages/two-nodes.test.ts',
        'packages/server/test/storage/{fixtures,half-there,slow-postgres}.test.ts',
        'packages/server/test/tracing/exporter.test.ts',
        'packages/server/test/variables/key-rotation.test.ts',
      ],
      // The demo plays the same story, and the others are about tools that only their own changes can break.
      nightly: ['tools/seed/seed.test.ts', 'tools/{check-api-docs,check-language}.test.ts'],
    }),
  },
  {
    ...shared,
    name: 'components',
    ...filesOf({
      include: ['packages/dashboard/src/**/*.test.tsx'],
      // Forms with many fields, which render for a second at each key.
      fromCi: [
        'packages/dashboard/src/features/hooks/hooks-page.test.tsx',
        'packages/dashboard/src/features/overview/overview-page.test.tsx',
        'packages/dashboard/src/features/rolls/roll-settings.test.tsx',
        'packages/dashboard/src/features/variables/{editor/variable-form,paste/paste-drawer}.test.tsx',
        'packages/dashboard/src/parts/protection/rules-drawer.test.tsx',
      ],
    }),
    environment: 'jsdom',
    setupFiles: ['packages/dashboard/testkit/setup.ts'],
  },
  {
    ...withPostgres,
    name: 'http',
    ...filesOf({
      ...http,
      exclude: [...http.exclude, ...(level === 'quick' ? [] : onReleaseBuild)],
      // Only a change of the README, of the examples or of one part can break them, and they take long. Each part has others.
      fromCi: [
        'packages/server/test/{archive,audit-chain,billing,data-keys,deletion,demo,due-changes,hooks,keys,kms,loading,operations}.test.ts',
        'packages/server/test/{process-secrets,rate-limits,readme,service-tokens,stop,tampering}.test.ts',
        'packages/server/test/{backup,crash,fuzz,hostile,replica}/**/*.test.ts',
        'packages/server/test/access/matrix.test.ts',
        'packages/server/test/changes/{model,ramp-rights}.test.ts',
        'packages/server/test/embedded/{access,company-groups,company-only,company-sign-in,first-start,handed-out}.test.ts',
        'packages/server/test/embedded/{hashing,limits,mail,organization-deletion,passwords,{required-,}second-factor,secrets}.test.ts',
        'packages/server/test/embedded/slow-database.test.ts',
        'packages/server/test/failpoints/{disk-full,requests}.test.ts',
        'packages/server/test/http/slow-clients.test.ts',
        'packages/server/test/ofrep/{generated,providers}.test.ts',
      ],
      // Tables with many rows, and programs in other languages.
      nightly: [
        'packages/server/test/large-organization.test.ts',
        'packages/server/test/{in-process,ofrep}/examples.test.ts',
      ],
    }),
    env: midMonth,
  },
  {
    ...withPostgres,
    name: 'http-postgres',
    ...filesOf({
      include: level === 'long' ? http.include : onBothStores,
      exclude: [...http.exclude, ...onOneStore],
      fromCi: onBothStores,
    }),
    env: { ...midMonth, ...onPostgres, ...asUsers },
  },
  {
    ...withPostgres,
    name: 'release',
    ...filesOf({ include: [...release, ...onReleaseBuild], fromCi: [...release, ...onReleaseBuild] }),
    env: onBuild,
  },
  {
    ...shared,
    name: 'cli',
    ...filesOf({
      include: cli,
      // Only a change of the packages or a release can break them; the output of every command, and terminals.
      fromCi: [
        'packages/sdk/test/{package/**/*,service/{local,watch}}.test.ts',
        'packages/cli/test/process/{change,credentials,golden,hostile,import,interactive,kill,offline,old-node}.test.ts',
        'packages/cli/test/process/{promote,protected,proxy,refresh,render,rotate,run-watch,stream,trust}.test.ts',
      ],
    }),
  },
  {
    ...withPostgres,
    name: 'nodes',
    ...filesOf({
      include: nodes,
      exclude: level === 'quick' ? [] : onReleaseBuild,
      // They add little to the same tests on one node.
      fromCi: [
        'packages/server/test/nodes/{due-changes,failover,faults,first-start,full-database,races}.test.ts',
        'packages/server/test/nodes/{restored,search-path,trusts,workers}.test.ts',
        'packages/openfeature/test/nodes/push.test.ts',
      ],
      nightly: ['packages/server/test/nodes/{rolling-upgrade,second-factor,sign-in-rules}.test.ts'],
    }),
  },
  {
    ...shared,
    name: 'browser',
    ...filesOf({
      include: browser,
      // They take long; the others show that each part works.
      fromCi: [
        'packages/dashboard/test/browser/{access,changes,company-{only,sign-in},demo,device-page,documentation,every-page,history,keys,live,navigation,organization}.test.ts',
        'packages/dashboard/test/browser/{overview,people,proposals,required-second-factor,rolls,tabs,toasts,trusts}.test.ts',
        'packages/dashboard/test/browser/variables.test.ts',
        'packages/openfeature/test/browser/ofrep.test.ts',
      ],
      // Walks over what the others test in parts, each state of pages of which CI checks one, and what those who work on the pages use.
      nightly: [
        'packages/dashboard/test/browser/{company-walk,dev,picture,rollout,tasks}.test.ts',
        'packages/dashboard/test/browser/pages/**/*.test.ts',
      ],
    }),
    env: asUsers,
  },
  {
    ...withPostgres,
    name: 'browser-postgres',
    ...filesOf({
      include: [
        'packages/dashboard/test/browser/first-five-minutes.test.ts',
        'packages/openfeature/test/browser/ofrep.test.ts',
      ],
      // The service answers on both stores the same, as its other tests show.
      nightly: browser,
    }),
    env: { ...onPostgres, ...asUsers },
  },
]

/** Packages of the workspace are tested from their sources, not from their builds. */
const conditions = ['source']
const seed = process.env['ROLLKEY_TEST_SEED']

/** Paths that a run is about; undefined if it is about all. */
const chosen =
  process.argv.length > 3
    ? process.argv.slice(3).filter((text, at, all) => !text.startsWith('-') && !all[at - 1]?.startsWith('-'))
    : undefined

/** Returns the files of patterns that belong to what the run is about. */
function ofChoice(patterns: readonly string[]): readonly string[] {
  return chosen ? globSync([...patterns]).filter((file) => chosen.some((part) => file.includes(part))) : patterns
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    reporters: [
      'default',
      new TestReport({
        environment: [
          ...(level === 'quick' ? [] : [`ROLLKEY_TEST_${level.toUpperCase()}=1 `]),
          ...(seed === undefined ? [] : [`ROLLKEY_TEST_SEED=${seed} `]),
        ].join(''),
        leftOut: [
          { files: ofChoice(leftOutOfTest), command: chosen ? 'with ROLLKEY_TEST_CI=1' : 'npm run test:ci' },
          { files: ofChoice(leftOutOfCi), command: chosen ? 'with ROLLKEY_TEST_LONG=1' : 'npm run test:long' },
        ],
      }),
    ],
    // More than the number of cores, because tests often wait for processes, disks and browsers.
    maxWorkers: Math.ceil(availableParallelism() * 2),
    // In an order that no one wrote down, so that a test that needs another before it fails when it is written.
    sequence: { sequencer: TestOrder, shuffle: { files: false, tests: true }, seed: Number(seed ?? 1) },
    projects: projects.map((test) => ({ test })),
  },
})
