/** The published decisions, for runtimes that run no test: browsers, workers and edge runtimes. */
import { knownDecisions } from '../../server/testkit/known-decisions.ts'

/** The published sides, in the order of `decideKnown`. */
export const knownSides = knownDecisions.map(({ decision }) => decision)

/** Code of a function that resolves to the side of each published decision, decided in the process by the package's test service. */
export const decideKnown = `async (createTestService) => {
  const sides = []
  for (const { name, seed, key, context, chance, rules, pins } of ${JSON.stringify(knownDecisions)}) {
    const service = createTestService({ variables: { [name]: { a: 'A', b: 'B', chance, rules, pins } } })
    const local = await service.client.local({ reports: false })
    sides.push(local.inspect(name, { seed, key, context }).decision)
    service.client.close()
  }
  return sides
}`
