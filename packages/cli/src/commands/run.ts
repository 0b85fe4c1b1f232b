import type { PullResult } from '@rollkey/sdk'
import { joinNames, type Variables } from '../formats/refuse.ts'
import { command } from '../frame/command.ts'
import { usage } from '../frame/cli-error.ts'
import { contextOf, contextOption } from '../frame/context-option.ts'
import { withConfirmation } from '../frame/confirmation.ts'
import { Changes } from '../run/changes.ts'
import { environmentOf } from '../run/environment.ts'
import { lastVariables } from '../run/last-variables.ts'
import { dieBy } from '../run/signals.ts'
import { supervise } from '../run/supervise.ts'

interface Options {
  readonly watch?: true
  readonly seed?: string
  readonly key?: string
  readonly context?: string
  readonly allowReserved?: true
  readonly strict?: true
  readonly snapshot?: string
}

export const run = command<Options>({
  name: 'run',
  args: '<COMMAND...>',
  summary: 'Run a command with the variables of a stage in its environment',
  target: 'stage',
  passesThrough: true,
  options: [
    ['--watch', 'restart the command when a variable changes'],
    ['--seed <seed>', 'user of A/B rolls, such as a user id'],
    ['--key <key>', 'experiment of A/B rolls'],
    contextOption,
    ['--allow-reserved', 'allow names such as PATH, LD_PRELOAD and NODE_OPTIONS, which decide what code runs'],
    ['--strict', 'fail if a name is not valid for environment variables, instead of skipping it'],
    ['--snapshot <file>', 'keep the variables in this encrypted file, and start with it if the service is unreachable'],
  ],
  examples: [
    ['run -- npm start', 'signals and the exit status pass through'],
    ['run --stage prod -- ./migrate --all', 'everything after -- is passed as is, without a shell'],
    [`run -- sh -c 'echo "$GREETING"'`, 'with a shell'],
    ['run --snapshot last.bin -- npm start', 'starts with the last variables while the service is down'],
    ['run --watch -- node server.js', 'sends SIGTERM, and SIGKILL after 10 s, before each restart'],
  ],
  async run(context, argv, { watch, seed, key, context: json, allowReserved, strict, snapshot }) {
    if (argv.length === 0) throw usage('No command to run (expected rollkey run -- COMMAND)')
    const roll = { seed, key, context: contextOf(json) }
    const orLast = snapshot === undefined ? undefined : lastVariables(context, snapshot, roll)
    const client = (await context.stage()).for(roll)
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
    const pull = (): Promise<PullResult> => withConfirmation(context, client, () => client.pull())
    const pulled = await (orLast ? orLast(pull) : pull())
    const environment = toEnvironment(pulled.variables)
    const changes = watch && new Changes({ client, pulled, environmentOf: toEnvironment, warn })
    try {
      const { code, signal } = await supervise({ argv, environment, next: changes && (() => changes.next()) })
      return signal === null ? (code ?? 1) : dieBy(signal)
    } finally {
      changes?.close()
      client.close()
    }
  },
})
