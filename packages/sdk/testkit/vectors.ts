/** The published decisions, for runtimes that run no test: browsers, workers and edge runtimes. */
import buckets from '../../contract/vectors/ab-roll.json' with { type: 'json' }
import decisions from '../../contract/vectors/decisions.json' with { type: 'json' }

/** The bucket is exactly the published one if a chance of it gives b, and the next larger chance gives a. */
const aroundBuckets = buckets.vectors
  .filter(({ seed, key }) => seed !== '' || key !== '')
  .flatMap(({ name, seed, key, u }) => [
    { name, seed, key, chance: u, decision: 'b' },
    { name, seed, key, chance: u + 2 ** -53, decision: 'a' },
  ])
const known: readonly { readonly decision: string }[] = [...decisions.vectors, ...aroundBuckets]

/** The published sides, in the order of `decideKnown`. */
export const knownSides = known.map(({ decision }) => decision)

/** Code of a function that resolves to the side of each published decision, decided in the process by the package's test service. */
export const decideKnown = `async (createTestService) => {
  const sides = []
  for (const { name, seed, key, context, chance, rules, pins } of ${JSON.stringify(known)}) {
    const service = createTestService({ variables: { [name]: { a: 'A', b: 'B', chance, rules, pins } } })
    const local = await service.client.local({ reports: false })
    sides.push(local.inspect(name, { seed, key, context }).decision)
    service.client.close()
  }
  return sides
}`
