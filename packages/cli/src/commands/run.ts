import { joinNames, type Variables } from '../formats/refuse.ts'
import { assertAsDeclared } from '../declare/as-declared.ts'
import { examplesOf, isLoginNeeded } from '../declare/examples.ts'
import { declarationsFile } from '../declare/file.ts'
import { command } from '../frame/command.ts'
import { usage } from '../frame/cli-error.ts'
import { rollOptions, type RollOptions } from '../frame/roll-options.ts'
import { offlineOptions, StageValues, type OfflineOptions } from '../offline/stage-values.ts'
import { Changes } from '../run/changes.ts'
import { environmentOf } from '../run/environment.ts'
import { dieBy } from '../run/signals.ts'
import { supervise } from '../run/supervise.ts'

interface Options extends OfflineOptions, RollOptions {
  readonly watch?: true
  readonly allowReserved?: true
  readonly strict?: true
  readonly check?: true
  readonly examples?: true
}

export const run = command<Options>({
  name: 'run',
  args: '<COMMAND...>',
  summary: 'Run a command with the variables of a stage in its environment',
  target: 'stage',
  passesThrough: true,
  options: [
    ['--watch', 'restart the command when a variable changes'],
    ...rollOptions,
    ['--allow-reserved', 'allow names such as PATH, LD_PRELOAD and NODE_OPTIONS, which decide what code runs'],
    ['--strict', 'fail if a name is not valid for environment variables, instead of skipping it'],
    ['--check', 'refuse to start if the values are not as the project declares'],
    ['--examples', `without a login, use the examples of ${declarationsFile}`],
    ...offlineOptions,
  ],
  examples: [
    ['run -- npm start', 'signals and the exit status pass through'],
    ['run --stage prod -- ./migrate --all', 'everything after -- is passed as is, without a shell'],
    [`run -- sh -c 'echo "$GREETING"'`, 'with a shell'],
    ['run --offline -- npm start', 'with the last values of this machine, such as on a train'],
    ['run --no-fallback -- ./migrate', 'only with the present values'],
    ['run --check -- node server.js', 'a missing or malformed variable stops the start, and is named'],
    ['run --examples -- npm start', 'in a script that people without access use too'],
    ['run --watch -- node server.js', 'sends SIGTERM, and SIGKILL after 10 s, before each restart'],
  ],
  async run(context, argv, { watch, allowReserved, strict, check, examples, ...options }) {
    if (argv.length === 0) throw usage('No command to run (expected rollkey run -- COMMAND)')
    if (watch && options.offline) throw usage('--watch does not go together with --offline')
    if (check && options.offline) throw usage('--check does not go together with --offline: it asks the service')
    const orExamples = <Result>(work: Promise<Result>): Promise<Result | undefined> =>
      work.catch((error: unknown) => {
        if (examples && !watch && isLoginNeeded(error)) return undefined
        throw error
      })
    const values = await orExamples(StageValues.open(context, options))
    const warn = (text: string): void => context.out.warn(text)
    const rules = { allowsReserved: allowReserved === true, isStrict: strict === true }
    let lastSkipped = ''
    const toEnvironment = (variables: Variables): NodeJS.ProcessEnv => {
      const { environment, skipped } = environmentOf(context.env, variables, rules)
      const names = joinNames(skipped)
      if (names !== lastSkipped && names !== '')
        warn(`Skipped names that are not valid for environment variables: ${names}`)
      lastSkipped = names
      return environment
    }
    const pulled = values && (await orExamples(values.read()))
    if (check && values && pulled) await assertAsDeclared(context, await values.client(), pulled.variables)
    const environment = toEnvironment(pulled?.variables ?? examplesOf(context))
    const changes =
      watch && values && pulled && new Changes({ values, client: values.client(), pulled, apply: toEnvironment, warn })
    try {
      const { code, signal } = await supervise({ argv, environment, next: changes && (() => changes.next()) })
      return signal === null ? (code ?? 1) : dieBy(signal)
    } finally {
      changes?.close()
      await values?.close()
    }
  },
})
