/** The formats of `rollkey pull`. Each refuses a value that the usual reader of the format would not return unchanged. */
import { docker } from './docker.ts'
import { dotenv } from './dotenv.ts'
import { json } from './json.ts'
import type { Variables } from './refuse.ts'
import { shell } from './shell.ts'
import { yaml } from './yaml.ts'

/** Returns variables as text. Throws a CliError with the names that the format cannot represent. */
export type Writer = (variables: Variables) => string

export const formats = { dotenv, docker, json, yaml, shell } satisfies Record<string, Writer>

/** Formats whose readers set environment variables. */
export const environmentFormats: readonly string[] = ['dotenv', 'docker', 'shell'] satisfies FormatName[]

export type FormatName = keyof typeof formats
