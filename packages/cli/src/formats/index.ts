/** The formats of `rollkey pull`. The usual reader of a format gets every value back unchanged, or the format refuses it. */
import { docker } from './docker.ts'
import { dotenv } from './dotenv.ts'
import { json } from './json.ts'
import type { Variables } from './refuse.ts'
import { shell } from './shell.ts'
import { yaml } from './yaml.ts'

/** Returns variables as text. Throws a CliError that lists the names that the format cannot carry. */
export type Writer = (variables: Variables) => string

export const formats = { dotenv, docker, json, yaml, shell } satisfies Record<string, Writer>

/** Formats whose readers set environment variables. */
export const environmentFormats: readonly string[] = ['dotenv', 'docker', 'shell'] satisfies FormatName[]

export type FormatName = keyof typeof formats
