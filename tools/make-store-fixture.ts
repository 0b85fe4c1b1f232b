/**
 * Makes filled stores of the present schema for the tests of later migrations: `npm run make-store-fixture`. It never replaces
 * one that exists: packages/server/testkit/fixtures/README.md.
 */
import { makeFixtures } from '../packages/server/testkit/fixtures/make.ts'

for (const folder of await makeFixtures()) console.log(folder)
process.exit(0)
