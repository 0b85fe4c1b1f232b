import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { TestBudget } from './tools/test-budget.ts'
import { useOneFolder } from './tools/test-folder.ts'

const unit = [
  'packages/{contract,sdk,openfeature}/test/**/*.test.ts',
  'packages/dashboard/src/**/*.test.ts',
  'packages/cli/test/unit/**/*.test.ts',
  'packages/server/test/config.test.ts',
  'tools/**/*.test.ts',
  'packages/server/test/{audit,auth,base,concurrency,consistency,crypto,evaluation,live,metering,operator,stages,storage,upstream,variables}/**/*.test.ts',
]

/** Tests with a real Chromium. They use the output of `npm run build`. */
const browser = ['packages/{dashboard,cli,sdk,openfeature}/test/browser/**/*.test.ts']
/** Browser tests that `npm test` leaves out, because they take long. CI runs all of them in full; the others show that each part works. */
const ciOnlyInBrowsers = [
  'packages/dashboard/test/browser/{access,changes,company-*,demo,dev,device-page,history,live,navigation,organization}.test.ts',
  'packages/dashboard/test/browser/{overview,people,proposals,rollout,rolls,tabs,tasks,toasts,trusts}.test.ts',
  'packages/dashboard/test/browser/variables.test.ts',
  'packages/openfeature/test/browser/ofrep.test.ts',
]
/** Tests with a browser that also run on PostgreSQL in CI. */
const browserOnPostgres = [
  'packages/dashboard/test/browser/first-five-minutes.test.ts',
  'packages/openfeature/test/browser/ofrep.test.ts',
]

/** One real PostgreSQL, in which each test creates a separate database. */
const postgres = ['packages/server/testkit/postgres-setup.ts']

/** Environment for the same tests on PostgreSQL as on the embedded store. */
const onPostgres = { ROLLKEY_TEST_STORE: 'postgres' }

/** Environment that makes tests start the service from the output of `npm run build:release`, in their process or as another. */
const onBuild = {
  ROLLKEY_TEST_APP: '../dist/app.cjs',
  ROLLKEY_TEST_SERVER: '../dist/bin/rollkey-server.js',
}

/** Environment that makes a suite run all its tests. */
const inFull = { ROLLKEY_TEST_LONG: '1' }

/** Command lines as processes, in pipes and terminals. They use the bundle of `npm run build`. */
const cli = ['packages/cli/test/process/**/*.test.ts', 'packages/sdk/test/{service,package}/**/*.test.ts']

/** Tests of several nodes and their faults. */
const nodes = ['packages/{server,openfeature}/test/nodes/**/*.test.ts']

/** Tests of the service as a process that run on the build of `npm run build:release`, in CI. */
const onReleaseBuild = [
  'packages/server/test/{audit-chain,demo,doctor,keys,kms,operations,process-secrets,stop}.test.ts',
  'packages/server/test/backup/backup.test.ts',
  'packages/server/test/embedded/{first-start,keys,secrets}.test.ts',
  'packages/server/test/nodes/workers.test.ts',
]

/** Tests of what `npm run build:release` builds. Only a release or a change of the builds can break them. */
const release = ['packages/server/test/package/**/*.test.ts']

/** Tests that would be the same on every store, or that start the service too frequently to run on both. */
const onOneStore = [
  'packages/server/test/{demo,kms,loading,process-secrets,readme,web-sign-in}.test.ts',
  'packages/server/test/{http,hostile,fuzz,backup}/**/*.test.ts',
  'packages/server/test/embedded/{first-start,hashing,slow-database}.test.ts',
  // Starts runtimes of other languages.
  'packages/server/test/ofrep/examples.test.ts',
  // Each node fetches keys for itself.
  'packages/server/test/trusts/issuers.test.ts',
  // Runs on an embedded store that it opens itself.
  'packages/server/test/changes/model.test.ts',
]

/** Tests of checks that each run makes anyway, of tools, and of what slow or failing neighbors do for seconds. */
const ciOnlyUnits = [
  'tools/{check-api-docs,check-language}.test.ts',
  'tools/seed/seed.test.ts',
  'packages/openfeature/test/one-decision.test.ts',
  'packages/server/test/metering/outbox.test.ts',
  'packages/server/test/storage/{fixtures,slow-postgres}.test.ts',
  'packages/server/test/variables/key-rotation.test.ts',
]

/** Tests of nodes that add little to the same tests on one node. */
const ciOnlyNodes = [
  'packages/server/test/nodes/{company-only,due-changes,first-start,rolling-upgrade,search-path,second-factor,trusts}.test.ts',
  'packages/openfeature/test/nodes/push.test.ts',
]

/** Tests that only a change of the packages or a release can break, the output of every command, and terminals. */
const ciOnlyCommandLines = [
  'packages/sdk/test/package/**/*.test.ts',
  'packages/cli/test/process/{change,credentials,golden,hostile,import,interactive,promote,protected,trust}.test.ts',
]

const fuzz = ['packages/server/test/fuzz/**/*.test.ts']

const isLong = process.env['ROLLKEY_TEST_LONG'] === '1'
useOneFolder(isLong)

/** `npm test` leaves out the files that are `ciOnly`, `npm run test:ci-only` runs them, and `npm run test:long` runs all files. */
const isCi = process.env['ROLLKEY_TEST_CI'] === '1'

interface Files {
  readonly include: string[]
  readonly exclude: string[]
}

/** Returns the files of this run. `more` are files that CI runs in addition, with more rounds. */
function select({ include, exclude }: Files, ciOnly: string[], more: string[] = []): Files {
  if (isLong) return { include, exclude }
  return isCi ? { include: [...ciOnly, ...more], exclude } : { include, exclude: [...exclude, ...ciOnly] }
}

/** Tests that only a change of the README, of the examples or of one part can break, and that take long. */
const ciOnlyOnEmbedded = [
  'packages/server/test/{billing,data-keys,demo,due-changes,kms,operations,process-secrets,readme}.test.ts',
  'packages/server/test/{backup,crash}/**/*.test.ts',
  'packages/server/test/changes/model.test.ts',
  'packages/server/test/embedded/{first-start,hashing,slow-database}.test.ts',
  'packages/server/test/failpoints/requests.test.ts',
  'packages/server/test/http/slow-clients.test.ts',
  'packages/server/test/ofrep/{examples,generated}.test.ts',
]

/** `npm run test:accounts`, which CI runs too, also runs these on PostgreSQL. */
const accountsOnPostgres = [
  'packages/server/test/embedded/{accounts,audit,company-*,confirmation,handed-out,keys,limits,members}.test.ts',
  'packages/server/test/embedded/{names,new-passwords,organizations,passwords,second-factor}.test.ts',
]

/**
 * Seconds of all files of a suite together. `npm test` runs four files at once and has 6 minutes, of which the checks and the build
 * take 50 s: 1,240 in all, of which the suites have 1,060.
 */
const budgets = { unit: 200, components: 140, http: 400, cli: 120, nodes: 80, browser: 120 }

/**
 * Limits of tests that hang. They do not measure speed: the slowest test takes a twentieth of its limit on a machine of two
 * quiet cores, so that a busy one decides nothing.
 */
const patience = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 120_000 } } }

const http = {
  include: ['packages/*/test/**/*.test.ts'],
  exclude: [...unit, ...cli, ...nodes, ...browser, ...release],
  globalSetup: postgres,
  // One import of the service for all files takes a fifth of the time.
  isolate: false,
  ...patience,
}

const notOnPostgres = [...http.exclude, ...onOneStore, ...(isLong ? [] : accountsOnPostgres)]

/** Packages of the workspace are tested from their sources, not from their builds. */
const conditions = ['source']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    // More than the number of cores, because tests often wait for processes, disks and browsers.
    reporters: ['default', ...(isLong || isCi ? [] : [new TestBudget(budgets)])],
    maxWorkers: Math.ceil(availableParallelism() * 2),
    projects: [
      {
        test: {
          name: 'unit',
          ...select({ include: unit, exclude: [...cli, ...nodes, ...browser] }, ciOnlyUnits),
          globalSetup: postgres,
          isolate: false,
          ...patience,
        },
      },
      {
        test: {
          name: 'components',
          ...select({ include: ['packages/dashboard/src/**/*.test.tsx'], exclude: [] }, []),
          environment: 'jsdom',
          setupFiles: ['packages/dashboard/testkit/setup.ts'],
          ...patience,
        },
      },
      {
        test: {
          name: 'http',
          ...http,
          // What CI runs on the build adds little on the sources.
          ...select(isCi ? { ...http, exclude: [...http.exclude, ...onReleaseBuild] } : http, ciOnlyOnEmbedded, fuzz),
        },
      },
      {
        test: {
          name: 'http-postgres',
          ...http,
          // In CI only: every query runs on both stores in `unit`, and `nodes` run on PostgreSQL.
          ...select({ include: http.include, exclude: notOnPostgres }, http.include),
          // `npm test` runs them on the sources and the embedded store, CI also on the build and PostgreSQL.
          env: { ...onPostgres, ...(isCi && onBuild) },
        },
      },
      {
        test: {
          name: 'release',
          ...select({ include: [...release, ...onReleaseBuild], exclude: [] }, [...release, ...onReleaseBuild]),
          env: onBuild,
          globalSetup: postgres,
          isolate: false,
          ...patience,
        },
      },
      {
        test: {
          name: 'cli',
          ...select({ include: cli, exclude: [] }, ciOnlyCommandLines),
          isolate: false,
          ...patience,
        },
      },
      {
        test: {
          name: 'nodes',
          ...select({ include: nodes, exclude: [] }, ciOnlyNodes),
          isolate: false,
          ...patience,
          globalSetup: postgres,
        },
      },
      {
        test: {
          name: 'browser',
          // In full in CI: a page that only its long form visits must not break unnoticed.
          ...select({ include: browser, exclude: [] }, ciOnlyInBrowsers, browser),
          ...(isCi && { env: { ...inFull, ...onBuild } }),
          isolate: false,
          ...patience,
        },
      },
      {
        test: {
          name: 'browser-postgres',
          ...select({ include: browserOnPostgres, exclude: [] }, browserOnPostgres),
          env: { ...onPostgres, ...(isCi && onBuild) },
          globalSetup: postgres,
          ...patience,
        },
      },
    ],
  },
})
