/** The address of a list of credentials. */

export interface CredentialsSearch {
  /** Slug of the project whose credentials are listed. @default all */
  readonly project?: string | undefined
}

export function credentialsSearch({ project }: Record<string, unknown>): CredentialsSearch {
  return { project: typeof project === 'string' && project !== '' ? project : undefined }
}
