/** The formats of `rollkey pull`. Each refuses a value that the usual reader of the format would not return unchanged. */
import { docker } from './docker.ts'
import { dotenv } from './dotenv.ts'
import { json } from './json.ts'
import { isSecretKey, k8sSecret } from './k8s-secret.ts'
import { isEnvironmentName, type Variables } from './refuse.ts'
import { shell } from './shell.ts'
import { isCredentialName, systemd, systemdCredentials } from './systemd.ts'
import { yaml } from './yaml.ts'

/**
 * Returns variables as text. Throws a CliError with the names that the format cannot represent.
 *
 * @param secretName the name of a Kubernetes Secret.
 */
export type Writer = (variables: Variables, secretName: string) => string

/** Formats of one text. */
export const formats = { dotenv, docker, json, yaml, shell, systemd, 'k8s-secret': k8sSecret } satisfies Record<
  string,
  Writer
>

/** Formats of a folder with one file for each variable. */
export const folderFormats = { 'systemd-credentials': systemdCredentials }

export type TextFormat = keyof typeof formats
export type FolderFormat = keyof typeof folderFormats

export const formatNames: readonly string[] = [...Object.keys(formats), ...Object.keys(folderFormats)]

/** Which names a format accepts. Others accept any name. */
export const nameRules: { readonly [name in TextFormat | FolderFormat]?: (name: string) => boolean } = {
  dotenv: isEnvironmentName,
  docker: isEnvironmentName,
  shell: isEnvironmentName,
  systemd: isEnvironmentName,
  'k8s-secret': isSecretKey,
  'systemd-credentials': isCredentialName,
}

/** Formats whose readers usually set environment variables. */
export const environmentFormats: readonly string[] = [
  'dotenv',
  'docker',
  'shell',
  'systemd',
  'k8s-secret',
] satisfies TextFormat[]
