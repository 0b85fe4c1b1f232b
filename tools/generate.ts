/** Writes the files that are generated from the contract and committed. `npm run generate`. */
import { writeFileSync } from 'node:fs'
import { openapi } from '@rollkey/contract'

writeFileSync(new URL('../packages/contract/openapi.json', import.meta.url), `${JSON.stringify(openapi(), null, 2)}\n`)
