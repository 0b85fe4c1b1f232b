import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { runSeed, seeded } from '../packages/server/testkit/random.ts'

/**
 * Orders the files of a run. The files of a suite follow each other, because its workers keep what they have loaded. With a seed the
 * files of a suite are in random order, otherwise the longest come first.
 */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the method of a sequencer, not of an array
    const sorted = await super.sort(files)
    if (process.env['ROLLKEY_TEST_SEED'] === undefined) return sorted
    const random = seeded(runSeed)
    const places = new Map(sorted.map((file) => [file, random()]))
    const suites = Map.groupBy(sorted, ({ project }) => project.name)
    return [...suites.values()].flatMap((suite) =>
      suite.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0)),
    )
  }
}
