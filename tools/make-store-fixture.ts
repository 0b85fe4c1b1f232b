/**
 * Makes filled stores of the current schema for tests of later migrations: `npm run make-store-fixture`. It never replaces
 * an existing one: packages/server/testkit/fixtures/README.md.
 */
import { makeFixtures } from '../packages/server/testkit/fixtures/make.ts'

for (const folder of await makeFixtures()) console.log(folder)
process.exit(0)
