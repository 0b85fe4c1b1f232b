/** What a run of the tests ends with: the time of each suite, what was not run, and of a failure the lines that one needs. */
import { globSync } from 'node:fs'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** Test files that a run left out, and the command that runs them. */
export interface LeftOut {
  /** Patterns of their paths. */
  readonly files: readonly string[]
  readonly command: string
}

export interface ReportOptions {
  readonly leftOut: readonly LeftOut[]
  /** Environment of a command that repeats the choices and the order of the run, such as `ROLLKEY_TEST_SEED=1 `. */
  readonly environment: string
}

const maxShown = 4
const maxCharacters = 160

interface Failure {
  readonly file: string
  readonly project: string
  /** Undefined if the file itself failed, or what runs before and after its tests. */
  readonly test?: string
  readonly message: string
}

function firstLine(errors: readonly { readonly message?: string | undefined }[] | undefined): string {
  return (errors?.[0]?.message ?? 'no message').split('\n', 1).join('').slice(0, maxCharacters)
}

/** Returns why a test failed; undefined if it did not. A test that may run again until it passes has failed, too. */
function failureOf(test: TestCase): string | undefined {
  const { state, errors } = test.result()
  if (state === 'failed') return firstLine(errors)
  return test.options.retry ? 'it has retries, which hide why it fails: remove them' : undefined
}

/** Returns the failures of a file: of its tests, or of what runs before and after them. */
function failuresOf(module: TestModule): Failure[] {
  const where = { file: module.relativeModuleId, project: module.project.name }
  const failures = [...module.children.allTests()].flatMap((each) => {
    const message = failureOf(each)
    return message === undefined ? [] : [{ ...where, test: each.fullName, message }]
  })
  const suites = [module, ...module.children.allSuites()]
  const broken = suites.filter((suite) => suite.errors().length > 0)
  return [...failures, ...broken.map((suite) => ({ ...where, message: firstLine(suite.errors()) }))]
}

/** Returns an argument of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Returns a pattern of Vitest that matches a test by its name. */
function patternOf(name: string): string {
  return name.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
}

export class TestReport implements Reporter {
  readonly #options: ReportOptions

  constructor(options: ReportOptions) {
    this.#options = options
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly { readonly message?: string }[]): void {
    const failures = modules.flatMap(failuresOf)
    if (failures.length > 0) process.exitCode = 1
    const counts = { passed: 0, failed: failures.length + unhandledErrors.length, skipped: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (failureOf(test) === undefined && state !== 'failed' && state !== 'pending') counts[state]++
      }
    }
    console.log(timesOf(modules))
    console.log(this.#notRun(counts.skipped))
    if (failures.length > 0) console.log(this.#shown(failures))
    for (const error of unhandledErrors) console.log(`✗ outside of tests: ${firstLine([error])}`)
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
  }

  #notRun(skipped: number): string {
    const parts = this.#options.leftOut.map(({ files, command }) => {
      const count = new Set(globSync([...files])).size
      return count === 0 ? '' : `${count} test files (${command})`
    })
    const all = [...parts, skipped === 0 ? '' : `${skipped} tests (npm run test:long)`].filter((part) => part !== '')
    return all.length === 0 ? 'Everything was run.' : `Not run: ${all.join(', ')}.`
  }

  #shown(failures: readonly Failure[]): string {
    const lines = failures.slice(0, maxShown).flatMap(({ file, project, test, message }) => {
      const name = test === undefined ? '' : ` -t ${quoted(`^${patternOf(test)}$`)}`
      const repeat = `${this.#options.environment}npm run test:file -- ${file} --project ${project}${name}`
      return [`✗ ${[file, test].filter(Boolean).join(' > ')} (${message})`, `  ${repeat}`]
    })
    const more = failures.length - maxShown
    return [...lines, ...(more > 0 ? [`and ${more} more, all named above`] : [])].join('\n')
  }
}

/** Returns the seconds of all files of each suite. */
function timesOf(modules: readonly TestModule[]): string {
  const suites = Map.groupBy(modules, ({ project }) => project.name)
  const times = [...suites].map(([name, files]) => {
    const ms = files.reduce((sum, file) => sum + file.diagnostic().duration, 0)
    return `${name} ${Math.round(ms / 1_000)} s (${files.length})`
  })
  return `Time of all files: ${times.join(', ')}.`
}
