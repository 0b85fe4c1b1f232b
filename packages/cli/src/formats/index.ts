/** What `rollkey pull` writes. Each format gives every value back unchanged to its usual reader, or refuses it. */
import { dotenv } from './dotenv.ts'
import { json } from './json.ts'
import { shell } from './shell.ts'
import { yaml } from './yaml.ts'

/** Throws a Failure that lists the names which the format cannot carry. */
export type Writer = (variables: Readonly<Record<string, string>>) => string

export const formats = { dotenv, json, yaml, shell } satisfies Record<string, Writer>

export type FormatName = keyof typeof formats
