import type { Client } from '@rollkey/sdk'
import type { Context } from '../frame/context.ts'

/** Returns whether the stage of the settings is protected. Undefined if the service lists no such stage. Throws RollkeyError. */
export async function isProtectedStage(client: Client, { settings }: Context): Promise<boolean | undefined> {
  const { project, stage } = settings
  const { projects } = await client.projects()
  const stages = projects.find(({ projectSlug }) => projectSlug === project?.value)?.stages
  const found = stages?.find(({ stageSlug }) => stageSlug === stage?.value)
  return found && found.isProtected === true
}
