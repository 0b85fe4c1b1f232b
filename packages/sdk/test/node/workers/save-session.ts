/** Saves the session that the argument is the JSON of. */
import { openCredentials, type Session } from '../../../src/node/index.ts'

await openCredentials().save(JSON.parse(process.argv[2] ?? '') as Session)
