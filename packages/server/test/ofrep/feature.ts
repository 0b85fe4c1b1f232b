/** Runs the scenarios of OpenFeature's evaluation.feature (fixtures/openfeature) with a client of OpenFeature. */
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type {
  Client,
  EvaluationContext,
  EvaluationDetails,
  FlagValue,
  JsonValue,
} from '../../../openfeature/test/ofrep/server-provider.mjs'

export interface Scenario {
  readonly name: string
  readonly steps: readonly string[]
}

const file = new URL('../../testkit/fixtures/openfeature/evaluation.feature', import.meta.url)

/** Returns the scenarios of the feature. Its only background step is a provider that is ready. */
export function scenarios(): Scenario[] {
  const [, ...blocks] = readFileSync(file, 'utf8').split(/^\s*Scenario: /m)
  return blocks.map((block) => {
    const [name = '', ...lines] = block.split('\n').map((line) => line.trim())
    const steps = lines.filter((line) => /^(?:Given|When|Then|And) /.test(line))
    return { name, steps: steps.map((line) => line.replace(/^\w+ /, '')) }
  })
}

/** What earlier steps of a scenario left for later ones. */
interface World {
  readonly client: Client
  key: string
  fallback: FlagValue
  context: EvaluationContext
  details: EvaluationDetails<FlagValue> | undefined
}

type StepRun = (world: World, ...groups: string[]) => Promise<void> | void

async function evaluate(world: World, key: string, fallback: FlagValue): Promise<void> {
  const { client, context } = world
  const detailsOf = (): Promise<EvaluationDetails<FlagValue>> => {
    if (typeof fallback === 'boolean') return client.getBooleanDetails(key, fallback, context)
    if (typeof fallback === 'string') return client.getStringDetails(key, fallback, context)
    if (typeof fallback === 'number') return client.getNumberDetails(key, fallback, context)
    return client.getObjectDetails(key, fallback as JsonValue, context)
  }
  Object.assign(world, { key, fallback, details: await detailsOf() })
}

/** Parses a value as its type in the step says. */
function parsed(type: string, text: string): FlagValue {
  return type === 'string' ? text : (JSON.parse(text) as FlagValue)
}

function expectFields({ details }: World, names: readonly string[], values: readonly FlagValue[]): void {
  expect(details?.value).toEqual(Object.fromEntries(names.map((name, index) => [name, values[index]])))
}

const steps: readonly (readonly [RegExp, StepRun])[] = [
  [
    /^an? (boolean|string|integer|float) flag with key "(.*)" is evaluated (?:with details and |with )default value "?(.*?)"?$/,
    (world, type, key, text) => evaluate(world, key, parsed(type, text)),
  ],
  [
    /^an object flag with key "(.*)" is evaluated with (?:details and )?a null default value$/,
    (world, key) => evaluate(world, key, null),
  ],
  [
    /^the resolved (boolean|string|integer|float)(?: details)? value should be ("?[^"]*"?)$/,
    ({ details }, type, text) => expect(details?.value).toBe(parsed(type, text.replaceAll('"', ''))),
  ],
  [
    /^the resolved (boolean|string|integer|float) details value should be (.*), the variant should be "(.*)", and the reason should be "(.*)"$/,
    ({ details }, type, text, variant, reason) =>
      expect(details).toMatchObject({ value: parsed(type, text.replaceAll('"', '')), variant, reason }),
  ],
  [
    /^the resolved object(?: details)? value should be contain fields "(.*)", "(.*)", and "(.*)", with values "(.*)", "(.*)" and (\d+), respectively$/,
    (world, a, b, c, first, second, third) => expectFields(world, [a, b, c], [first === 'true', second, Number(third)]),
  ],
  [
    /^the variant should be "(.*)", and the reason should be "(.*)"$/,
    ({ details }, variant, reason) => expect(details).toMatchObject({ variant, reason }),
  ],
  [
    /^context contains keys "(.*)", "(.*)", "(.*)", "(.*)" with values "(.*)", "(.*)", (\d+), "(.*)"$/,
    (world, a, b, c, d, first, second, third, fourth) => {
      world.context = { [a]: first, [b]: second, [c]: Number(third), [d]: fourth === 'true' }
    },
  ],
  [/^a flag with key "(.*)" is evaluated with default value "(.*)"$/, (world, key, text) => evaluate(world, key, text)],
  [/^the resolved string response should be "(.*)"$/, ({ details }, text) => expect(details?.value).toBe(text)],
  [
    /^the resolved flag value is "(.*)" when the context is empty$/,
    async (world, text) => {
      world.context = {}
      // Not the value of the scenario, which would also be the result of an error.
      await evaluate(world, world.key, 'neither')
      expect(world.details?.value).toBe(text)
    },
  ],
  [
    /^a non-existent string flag with key "(.*)" is evaluated with details and a fallback value "(.*)"$/,
    (world, key, text) => evaluate(world, key, text),
  ],
  [
    /^a string flag with key "(.*)" is evaluated as an integer, with details and a fallback value (\d+)$/,
    (world, key, text) => evaluate(world, key, Number(text)),
  ],
  [
    /^the default (?:string|integer) value should be returned$/,
    ({ details, fallback }) => expect(details?.value).toBe(fallback),
  ],
  [
    /^the reason should indicate an error and the error code should indicate a (?:missing flag|type mismatch) with "(.*)"$/,
    ({ details }, errorCode) => expect(details).toMatchObject({ reason: 'ERROR', errorCode }),
  ],
]

/** Runs a scenario. Throws for a step that it does not know. */
export async function expectScenario({ steps: texts }: Scenario, client: Client): Promise<void> {
  const world: World = { client, key: '', fallback: '', context: {}, details: undefined }
  for (const text of texts) {
    const matching = steps.flatMap(([pattern, run]) => {
      const groups = pattern.exec(text)?.slice(1)
      return groups ? [{ run, groups }] : []
    })
    const [step] = matching
    if (!step || matching.length > 1) throw new Error(`${matching.length} definitions of the step: ${text}`)
    await step.run(world, ...step.groups)
  }
}
