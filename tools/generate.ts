/** Writes the files that are generated and committed: `npm run generate`. A test fails while they are outdated. */
import { writeFileSync } from 'node:fs'
import { generated } from './generated.ts'

for (const { path, text } of await generated()) writeFileSync(new URL(`../${path}`, import.meta.url), text)
