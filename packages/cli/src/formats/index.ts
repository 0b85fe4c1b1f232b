/** What `rollkey pull` writes. Each format gives every value back unchanged to its usual reader, or refuses it. */
import { docker } from './docker.ts'
import { dotenv } from './dotenv.ts'
import { json } from './json.ts'
import type { Variables } from './refuse.ts'
import { shell } from './shell.ts'
import { yaml } from './yaml.ts'

/** Throws a Failure that lists the names which the format cannot carry. */
export type Writer = (variables: Variables) => string

export const formats = { dotenv, docker, json, yaml, shell } satisfies Record<string, Writer>

/** Those whose reader makes environment variables of what it reads. */
export const environmentFormats: readonly string[] = ['dotenv', 'docker', 'shell'] satisfies FormatName[]

export type FormatName = keyof typeof formats
